"""`make chaos`: kill, cut, fill and turn back the clock under load, and judge what is left."""
