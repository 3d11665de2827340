"""The scenarios beside the checkout, run with the real program."""
