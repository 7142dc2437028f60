"""The CUDA back end: device functions and an elementwise kernel for numba-cuda."""
