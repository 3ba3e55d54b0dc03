"""What authors of a domain use: start it, validate it, see what more examples would bring.

- `new`: a small domain that works at once, made of the `templates` (`partwise new`);
- `validation`: what cannot work, why, and what to do (`partwise check`), in examples and, by
  `declarations`, in the domain itself;
- `learning`: the learning curve and its trend (`partwise curve`);
- `inference`: a domain from pairs of questions and programs alone (`partwise learn`); `names` are
  those of its programs, `files` the pairs that are read and the folder that is written.

May import everything but domains, serve and cli. Start reading in `validation`.
"""
