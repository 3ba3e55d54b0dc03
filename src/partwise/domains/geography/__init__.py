"""United States geography: its facts and the executor of its predicates."""
