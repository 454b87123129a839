"""What each GraphQL field reads, declared beside it, and the resolvers made from that."""
