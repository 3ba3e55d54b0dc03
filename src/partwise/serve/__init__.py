"""``partwise serve``: a web page for questions, and a JSON API (the extra ``serve``)."""
