"""From a program to text in another language: a table and a loop each.

In the order of the data:

    names              names and remarks that are safe in code
    constants          constants as bits
    walk               one walk over a program, for every language with a table
    sincos             sine and cosine: the polynomials
    elementary         sine to arc tangent over numbers, in what every processor has
    llvm               LLVM IR, W states at a time
    assembly           long arithmetic, registers assigned here
    llvm_text          lines of IR under way
    llvm_pieces        long programs, cut
    llvm_loop          the loop over states
    llvm_shared        what is the same for all states, once
    llvm_stream        results past the caches
    llvm_stored        rows of tables
    llvm_builtin       a builtin's look at its arrays
    llvm_quick         one state a call
    llvm_batch         one batch a call
    llvm_shares        parts of a batch, taken by threads
    llvm_dispatch      which of them answers, by how a call is written
    llvm_march         recurrences
    triangles          what least squares keeps
    llvm_triangles     and rows turned into it
    llvm_descent       searches of lanes until one arrives
    llvm_elementary    sine, cosine and arc tangent on numbers that are lines of IR
    llvm_scalar        IR for small machines, without a library
    llvm_cuda          IR for cards, a thread for a state
    llvm_cuda_march    recurrences there
    c                  portable C99
    c_statements       statements in it, sines and angles too
    c_test             self-tests of C, all by one writer, and the Makefile
    c_controller       a controller as C99
    c_controller_test  and its self-test
    c_estimator        an estimator as C99, and its self-test
    cuda_cpp           CUDA C++, which is plain C++ too
    mex                for MATLAB
    python_cffi        for Python
    js                 JavaScript for pages
    wasm               WebAssembly, the binary itself
    wasm_js            its ES module
    wasm_js_library    of several functions
"""
