! fortran_smoke.f90 - a Fortran program calls the library: its version is the first argument.
program fortran_smoke
  use, intrinsic :: iso_c_binding
  implicit none
  interface
    function rind_version() bind(c) result(text)
      import :: c_ptr
      type(c_ptr) :: text
    end function
  end interface
  character(kind=c_char), pointer :: text(:)
  character(len=64) :: wanted
  integer :: i
  call get_command_argument(1, wanted)
  call c_f_pointer(rind_version(), text, [len_trim(wanted) + 1])
  do i = 1, len_trim(wanted)
    if (text(i) /= wanted(i:i)) stop 1
  end do
  if (text(len_trim(wanted) + 1) /= c_null_char) stop 1
end program
