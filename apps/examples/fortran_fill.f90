! fortran_fill.f90 - first_fill in Fortran: the ghosts of an array of its own are filled, and checked.

! What the program uses of rind/forest_p4est.h, rind/field.h and rind/exchange.h.
module rind
  use, intrinsic :: iso_c_binding
  implicit none

  type, bind(c) :: rind_block
    integer(c_int64_t) :: global
    integer(c_int32_t) :: tree, level, coordinate(3), owner, index
    real(c_double) :: lower(3), side(3)
  end type

  type, bind(c) :: rind_brick
    integer(c_int) :: dim = 2, trees(3) = 0, periodic(3) = 0, level = 0
    real(c_double) :: lower(3) = 0, upper(3) = 0
  end type

  type, bind(c) :: rind_layout ! zeros are worked out
    integer(c_int) :: dim = 0, cells = 0, ghosts = 0, components = 1
    integer(c_int) :: data_type = 0, space = 0, storage = 0, order = 0
    integer(c_intptr_t) :: cell_stride(3) = 0, component_stride = 0, block_stride = 0
  end type

  interface
    integer(c_int) function fortran_context_create(comm, context) bind(c)
      import
      integer(c_int), value :: comm
      type(c_ptr), intent(out) :: context
    end function
    type(c_ptr) function rind_last_error(context) bind(c)
      import
      type(c_ptr), value :: context
    end function
    integer(c_int) function rind_forest_create_brick(context, brick, forest) bind(c)
      import
      type(c_ptr), value :: context
      type(rind_brick), intent(in) :: brick
      type(c_ptr), intent(out) :: forest
    end function
    integer(c_int) function rind_forest_refine(forest, max_level, refine, user) bind(c)
      import
      type(c_ptr), value :: forest
      integer(c_int), value :: max_level
      type(c_funptr), value :: refine
      type(c_ptr), value :: user
    end function
    integer(c_int) function rind_forest_num_blocks(forest) bind(c)
      import
      type(c_ptr), value :: forest
    end function
    type(c_ptr) function rind_forest_block(forest, number) bind(c)
      import
      type(c_ptr), value :: forest
      integer(c_int), value :: number
    end function
    integer(c_int) function rind_field_wrap_packed(forest, layout, values, num_elements, field) bind(c)
      import
      type(c_ptr), value :: forest
      type(rind_layout), intent(in) :: layout
      type(c_ptr), value :: values
      integer(c_size_t), value :: num_elements
      type(c_ptr), intent(out) :: field
    end function
    type(c_ptr) function rind_field_layout(field) bind(c)
      import
      type(c_ptr), value :: field
    end function
    integer(c_int) function rind_schedule_create(forest, cells, ghosts, rules, schedule) bind(c)
      import
      type(c_ptr), value :: forest, rules
      integer(c_int), value :: cells, ghosts
      type(c_ptr), intent(out) :: schedule
    end function
    integer(c_int) function rind_exchange_create(schedule, layout, options, exchange) bind(c)
      import
      type(c_ptr), value :: schedule, layout, options
      type(c_ptr), intent(out) :: exchange
    end function
    integer(c_int) function rind_fill(exchange, field) bind(c)
      import
      type(c_ptr), value :: exchange, field
    end function
    subroutine rind_exchange_destroy(exchange) bind(c)
      import
      type(c_ptr), intent(inout) :: exchange
    end subroutine
    subroutine rind_schedule_destroy(schedule) bind(c)
      import
      type(c_ptr), intent(inout) :: schedule
    end subroutine
    subroutine rind_field_destroy(field) bind(c)
      import
      type(c_ptr), intent(inout) :: field
    end subroutine
    subroutine rind_forest_destroy(forest) bind(c)
      import
      type(c_ptr), intent(inout) :: forest
    end subroutine
    subroutine rind_context_destroy(context) bind(c)
      import
      type(c_ptr), intent(inout) :: context
    end subroutine
  end interface
end module

module refinement
  use rind
  implicit none
contains
  ! Splits the blocks whose lower corner lies in the lower left quarter of the box.
  integer(c_int) function refine_here(here, user) bind(c)
    type(rind_block), intent(in) :: here
    type(c_ptr), value :: user
    refine_here = 0
    if (here%lower(1) < 2 .and. here%lower(2) < 2 .and. .not. c_associated(user)) refine_here = 1
  end function
end module

program fortran_fill
  use rind
  use refinement
  use mpi
  implicit none
  integer(c_int), parameter :: cells = 8, ghosts = 2
  type(c_ptr) :: context = c_null_ptr, forest = c_null_ptr, field = c_null_ptr
  type(c_ptr) :: schedule = c_null_ptr, exchange = c_null_ptr
  type(rind_block), pointer :: block
  type(rind_brick) :: brick
  type(rind_layout) :: layout
  real(c_double), allocatable, target :: u(:, :, :) ! cell, cell, block: the default layout
  real(c_double) :: x, y
  integer :: b, i, j, rank, error, counts(3), sums(3)

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call must(fortran_context_create(MPI_COMM_WORLD, context))

  ! 4 x 4 blocks on the box [0, 4] x [0, 4], refined once more in one quarter.
  brick%trees = [4, 4, 1]
  call must(rind_forest_create_brick(context, brick, forest))
  call must(rind_forest_refine(forest, 1, c_funloc(refine_here), c_null_ptr))

  ! An array of our own, whose ghosts begin as 0 and interiors as a plane.
  allocate (u(1 - ghosts:cells + ghosts, 1 - ghosts:cells + ghosts, rind_forest_num_blocks(forest)))
  u = 0
  do b = 1, size(u, 3)
    call c_f_pointer(rind_forest_block(forest, b - 1), block)
    do j = 1, cells
      do i = 1, cells
        u(i, j, b) = plane(centre(1, i), centre(2, j))
      end do
    end do
  end do
  layout%cells = cells
  layout%ghosts = ghosts
  call must(rind_field_wrap_packed(forest, layout, c_loc(u), size(u, kind=c_size_t), field))

  call must(rind_schedule_create(forest, cells, ghosts, c_null_ptr, schedule))
  call must(rind_exchange_create(schedule, rind_field_layout(field), c_null_ptr, exchange))
  call must(rind_fill(exchange, field))

  ! Ghosts inside the box now hold the plane; those behind its walls are still 0.
  counts = 0
  do b = 1, size(u, 3)
    call c_f_pointer(rind_forest_block(forest, b - 1), block)
    do j = lbound(u, 2), ubound(u, 2)
      do i = lbound(u, 1), ubound(u, 1)
        if (i >= 1 .and. i <= cells .and. j >= 1 .and. j <= cells) cycle
        x = centre(1, i)
        y = centre(2, j)
        if (x > 0 .and. x < 4 .and. y > 0 .and. y < 4) then
          counts(2) = counts(2) + 1
          if (abs(u(i, j, b) - plane(x, y)) > 1d-12) counts(3) = counts(3) + 1
        else if (abs(u(i, j, b)) > 0) then
          counts(3) = counts(3) + 1
        end if
      end do
    end do
  end do
  counts(1) = size(u, 3)
  call MPI_Allreduce(counts, sums, 3, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  if (rank == 0) print '(i0, a, i0, a, i0, a)', sums(1), ' blocks, ', sums(2), &
    ' ghost cells filled, ', sums(3), ' wrong'

  call rind_exchange_destroy(exchange)
  call rind_schedule_destroy(schedule)
  call rind_field_destroy(field)
  call rind_forest_destroy(forest)
  call rind_context_destroy(context)
  call MPI_Finalize(error)
  if (sums(2) /= 1776 .or. sums(3) /= 0) stop 1

contains

  real(c_double) function plane(at_x, at_y)
    real(c_double), intent(in) :: at_x, at_y
    plane = 1 + 2*at_x - 3*at_y
  end function

  ! Of cell i, from 1, along an axis of the block.
  real(c_double) function centre(axis, i)
    integer, intent(in) :: axis, i
    centre = block%lower(axis) + (i - 0.5d0)*block%side(axis)/cells
  end function

  ! A call of Rind failed: says why and stops all ranks.
  subroutine must(code)
    integer(c_int), intent(in) :: code
    character(kind=c_char), pointer :: text(:)
    integer :: k, ierror
    if (code == 0) return
    call c_f_pointer(rind_last_error(context), text, [1024])
    do k = 1, 1024
      if (text(k) == c_null_char) exit
      write (0, '(a)', advance='no') text(k)
    end do
    write (0, *)
    call MPI_Abort(MPI_COMM_WORLD, 1, ierror)
  end subroutine
end program
