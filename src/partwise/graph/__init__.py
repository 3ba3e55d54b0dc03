"""GraphParser: questions to query graphs (Gai and Jain 2021), flat and composed."""
