"""End2End: answers questions about scenes without a program between (Herzig and Berant 2021,
section 4.1, the baseline on CLEVR).
"""
