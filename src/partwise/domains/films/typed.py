"""What people type about films in place of the domain's words."""

from __future__ import annotations

_SAID: dict[str, str] = {
    "film": "movie, movies, flick, flicks, picture, pictures, motion picture, filmography, pic, "
    "feature, features, title, titles, film s, movie s, work, works",
    "production company": "studio, studios, film studio, film studios, movie studio, company that",
    "company": "firm, companies, organization, outfit, brand",
    "character": "part, parts, characters, fictional character, role, roles",
    "director": "directing, direction, helmer, dir",
    "directed": "made, makes, making, helmed, helms, filmed, created, directs, make",
    "wrote": "penned, authored, scripted, writes, wrote script for, wrote screenplay for, "
    "wrote the script for, wrote the screenplay for, wrote the screenplay of, wrote the script of, "
    "wrote the story of, came up with",
    "writer": "screenplay, screenplays, script, scripts, screenwriter, screenwriters, author, "
    "authors, scriptwriter, scriptwriters, screenplay writer, script writer, story, scenarist, "
    "writing, written",
    "written": "written, penned, authored",
    "composer": "music, score, soundtrack, composed, composed the music, composed the score, "
    "scored, wrote the music, wrote the score, did the music, did the score, did the soundtrack, "
    "made the music, film score, musician, composes, wrote music, music writer, theme, songs, "
    "compose, composed music, wrote the soundtrack, film music, background music, score music, "
    "compose the music, compose the score, score composer, composed the soundtrack, did music, "
    "write the music, write the score, music composer, music composed",
    "cinematographer": "cinematography, shot, shoot, photographed, dp, dop, camera, camerawork, "
    "cameraman, director of photography, photography, lensed, was dp, filming, shoots, "
    "did the cinematography, did the camera, did the photography, handled the camera, camera man, "
    "was behind the camera, visuals, cinematographers, directors of photography",
    "costume designer": "costumes, costume, costume design, wardrobe, costuming, outfits, clothes, "
    "designed the costumes, did the costumes, made the costumes, designed costumes, dressed, "
    "costumer, costume designers, design the costumes, wardrobe designer, did costumes, "
    "the costumes, costumed, "
    "costume designs, made costumes, created the costumes",
    "editor": "editing, cut, did the editing, film editor of, montage",
    "edited": "edited, cuts, edit",
    "executive producer": "exec producer, exec producers, ep, executive producers, "
    "executive production",
    "produced": "financed, produces, bankrolled",
    "distributor": "distribution, distributing company, distribution company",
    "distributed": "released, releases, distributes, put out, brought out, distribute",
    "star": "cast, starring cast, cast members, cast member, leads, lead, lead actor, lead actors, "
    "leading actor, leading actors, main actor, main actors, main actress, leading man, "
    "leading lady, protagonist, "
    "casting, who s who, actors and actresses, lead role, main cast, people, stars, main star, "
    "who acted, performers, performer",
    "starred": "acted, acts, appeared, appears, appear, act, acting, performed, performs, "
    "featured, starring, featuring, stars",
    "in": "starred in, starring in, acting in, appearing in, inside, part of",
    "actor": "actors, voice, voice of",
    "female actor": "actress, actresses, leading actress, lead actress",
    "played": "portrayed, portrays, portray, voiced, voices, acted as, plays, playing, stars as, "
    "starred as, appeared as, cast as",
    "sequel": "follow up, followup, follow on, sequels, next film after, next movie after, "
    "film after, movie after, came after, comes after, after, second part, followed, follows, "
    "part two, next part, successor, next one after, is the next, continuation",
    "prequel": "came before, comes before, before, film before, movie before, predecessor, "
    "prequels, preceded, precedes, previous film, previous movie, part before, first part",
    "spouse": "married to, partner, partners, spouses, marriage, hubby, better half, "
    "husband or wife",
    "female spouse": "wife, wives, wifes, ex wife, bride",
    "male spouse": "husband, husbands, ex husband",
    "marry": "wed, get married to, tie the knot with",
    "sibling": "siblings, brother or sister, brothers and sisters",
    "male sibling": "brother, brothers, bro",
    "female sibling": "sister, sisters, sis",
    "male child": "son, sons, boy",
    "female child": "daughter, daughters, girl",
    "child": "kid, kids, children, offspring, subsidiary, subsidiaries",
    "parent": "parents, mom and dad, parent company of",
    "female parent": "mother, mothers, mom, mum, mommy",
    "male parent": "father, fathers, dad, daddy, papa",
    "gender": "sex",
    "country of nationality": "nationality, nationalities, country, countries, home country, "
    "homeland, citizenship, country of origin, native country, come from, comes from, born, origin",
    "founder": "creator of, founders, co founder, cofounder, co founders, cofounders",
    "founded": "started, established, set up, launched, cofounded, co founded, starts, founds",
    "acquired": "bought, owns, own, owned, purchased, took over, buys, acquires, buy, purchase, "
    "taken over, takeover",
    "employed": "hired, employs, hires",
    "employee": "works for, work for, worked for, working for, works at, work at, worked at, "
    "employees, staff, workers, worker, employed at",
    "employer": "boss, workplace, employers, job",
    "influenced": "inspired, inspires, influences, inspiration for, shaped",
    "film director": "filmmaker, filmmakers, movie director, movie directors",
    "american": "us, u s, usa, hollywood, america",
    "british": "english, uk, britain, england, britsh",
    "japanese": "japan",
    "french": "france",
    "italian": "italy",
    "german": "germany",
    "spanish": "spain",
    "mexican": "mexico",
    "canadian": "canada",
    "swedish": "sweden",
    "dutch": "netherlands, holland",
    "chinese": "china",
    "female": "woman, women, lady, ladies, female",
    "male": "man, men, guy, guys",
    "the": "name of, names of, list of, info, known as, famous, well known, films of the, "
    "movie called, film called, the movie, the film, movie named, list, please, now, already, "
    "again, together, really, actually, original, one, person, somebody, someone, who s, ever, "
    "also, else, just, only, exactly, so far, in total, film version of, together with, "
    "responsible, credited, job",
}


WORDS = {phrase: meaning for meaning, phrases in _SAID.items() for phrase in phrases.split(", ")}
"""Words -> the words that they stand for."""
PERSONS = ("film:Person", "film:Character")
"""Types of what is also called by a surname alone."""
KINDS = {
    "f": "film:Film",
    "p": "film:Person",
    "h": "film:Character",
    "c": "film:Company",
    "d": "film:FilmDirector",
    "a": "film:Actor",
    "k": "film:Cinematographer",
    "m": "film:Composer",
    "e": "film:FilmEditor",
    "w": "film:Screenwriter",
    "r": "film:FilmProducer",
    "t": "film:CostumeDesigner",
    "u": "film:FilmDistributor",
}
"""The letter that things of a type have in the forms of `partwise.domains.films.rewriting`."""
NOUNS = {
    **{"director": "film director", "editor": "film editor", "producer": "film producer"},
    **{"writer": "screenwriter", "star": "actor", "distributor": "film distributor"},
}
"""Role -> the noun for whoever has it."""
