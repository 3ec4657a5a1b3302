"""From functions over numbers to something to call on arrays.

In the order of the data:

    arrays     the border: arrays checked once
    results    memory of large results, used again
    kernels    a quantity of a robot as a program, and as code of its device
    device     what compiles, what calls, what arrays are taken; the interpreter
    processor  the device that runs unless another is named: LLVM, NumPy
    interpret  where nothing is compiled
    threads    batches split, and what is built built once
    shares     parts of a batch that threads take in machine code
    debug      what STROBE_DEBUG shows
    jit        machine code from IR
    width      how wide vectors are, by measurement
    cache      object code on disk
    gufunc     NumPy ufuncs from addresses
    quick      builtins for calls in a hurry
    quick_calls  those over the methods of one robot, from the second call on
    traced     functions of one's own
    marching   recurrences on arrays
    triangles      rows of least squares, turned in
    descent    searches of lanes as one call
    objects    object files for other machines
    ptx        code for cards, and what it takes of one
    cuda_driver  NVIDIA's driver
    cuda_dlpack  handed to other libraries
    cuda_arrays  arrays that lie on a card
    cuda         cards as a device
    cuda_search  how kernels are best made, by measurement
    cuda_host    host arrays there and back
    cuda_marching  recurrences there
    timing     how long things take, interleaved
"""
