"""Claims: what they are, the files that hold them, and the suites that come with the library."""
