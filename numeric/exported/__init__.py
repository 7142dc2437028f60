"""Models as single files of Python that need numpy only: the code beside a paper."""
