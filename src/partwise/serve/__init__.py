"""``partwise serve``: a page where one asks, and a JSON API (the extra ``serve``)."""
