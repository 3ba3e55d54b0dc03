"""How near predicted span trees are to annotated ones: the metrics ``tree_f1*`` of the results."""
