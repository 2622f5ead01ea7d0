/* rind/rind.h - everything in Rind::rind, in one header. */
#pragma once
#include <rind/context.h>
#include <rind/error.h>
#include <rind/exchange.h>
#include <rind/field.h>
#include <rind/forest.h>
#include <rind/particles.h>
#include <rind/schedule.h>
#include <rind/segment.h>
#include <rind/sph.h>
#include <rind/tiles.h>
