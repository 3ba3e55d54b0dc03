"""CBR-KBQA: retrieve similar training cases, write a query with them in view, revise its relations.

After Das et al. 2021, "Case-based Reasoning for Natural Language Queries over Knowledge Bases".
What is written comes from the core in `partwise_papers.seq2seq`. Start reading in `parser`;
`retriever` finds cases.
"""
