"""From a program to something to call, or to take away.

In the order of the data:

    graph        a traced function, brought to normal form
    codegen      a program as text: LLVM IR, C, WebAssembly, JavaScript
    runtime      text as something to call on arrays
    fixed_point  programs over integers, with proven bounds
    export       quantities as files to take away
"""
