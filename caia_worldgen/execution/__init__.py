"""Tasks that are carried out: what people ask somebody to do with their money on a told story's chains."""
