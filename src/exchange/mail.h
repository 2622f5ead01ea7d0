/* mail.h - one letter to each peer and one from each, when an exchange is made. */
#pragma once
#include <core.h>

typedef struct rind_letter {
  size_t bytes; /* at most INT_MAX */
  void *data;
} rind_letter;

/* Collective. RIND_ERROR_INVALID unless peers are mutual: then every rank knows from whom a letter
 * comes, and no collective but agreement on errors is needed. */
rind_error rind_mail_check_mutual(rind_context *context, int num_peers, const int32_t *peer_rank);
/* Collective; messages go to the peers only. Sizes first, then the letters; empty ones do not
 * travel. out, in [num_peers]; data of in, which is zero before, is the caller's to free, on
 * errors too. */
rind_error rind_mail_exchange(rind_context *context, int num_peers, const int32_t *peer_rank,
                              int tag, const rind_letter *out, rind_letter *in);
