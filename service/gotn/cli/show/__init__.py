"""How answers look to people; every function takes plain data and a console."""
