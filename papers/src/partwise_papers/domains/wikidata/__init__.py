"""Films and their people in Wikidata, as MCWQ asks about them."""
