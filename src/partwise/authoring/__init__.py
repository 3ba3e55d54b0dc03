"""What authors of a domain use: start it, validate it, see what more examples would bring.

- `templates`: a small domain that works at once (`partwise new`);
- `validation`: what cannot work, why, and what to do (`partwise check`);
- `learning`: the learning curve and its trend (`partwise curve`).

May import everything but domains, serve and cli. Start reading in `validation.validate`.
"""
