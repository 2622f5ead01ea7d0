/* tree_chart.h - charts from a tree to the trees around it, edges and corners included. */
#pragma once
#include <tree_mesh.h>

/* The charts of one tree by region; a tree's regions are numbered as a block's. */
typedef struct rind_tree_charts {
  int32_t tree;
  bool irregular; /* trees meet in a region that has no chart */
  bool exists[RIND_NUM_REGIONS];
  rind_tree_chart chart[RIND_NUM_REGIONS];
} rind_tree_charts;

/* A chart over an edge or a corner is composed of charts over faces, one an axis. It exists if all
 * orders of the axes that do not end at a wall agree, if the same holds from the other side, and if
 * the mesh records the contact. Otherwise the region is irregular, or behind a wall. */
void rind_tree_charts_find(const rind_tree_mesh *mesh, int32_t tree, rind_tree_charts *charts);
