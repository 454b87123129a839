"""What is about the same: vectors of work nodes, soft edges, search, context, duplicates.

Stands above the contexts and below the API. The encoder and FAISS are extras of the package:
nothing here imports them before they are used, and without them only this folder's answers
are missing, with a word on how to install them.
"""
