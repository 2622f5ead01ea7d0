/* letters.h - the shapes of letters for pictures, 5 x 7 pixels each. */
#pragma once

enum { APP_LETTER_WIDTH = 5, APP_LETTER_HEIGHT = 7 };

/* 35 characters, row by row from the top: '#' is ink. An empty box for letters without a shape. */
const char *app_letter(char letter);
