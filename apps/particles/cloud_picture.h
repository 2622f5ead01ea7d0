/* cloud_picture.h - one PNG: the density, seen along the third axis in 3D, and the blocks. */
#pragma once
#include <mpi.h>

#include <rind/rind.h>

/* Collective. density is a field on the host, amounts a volume; blocks are those at the middle of
 * the third axis. Returns an app_status; message says what went wrong. */
int cloud_picture_write(MPI_Comm comm, const rind_particles *particles, const rind_field *density,
                        const char *title, const char *path, char *message, int length);
