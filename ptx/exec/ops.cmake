# The files of exec/ops, by whether each instruction-set level has one of its own.
set(warpvp_exec_ops integer bits float rounded approx compare convert move memory half shuffle)
# Not worth a variant each: dominated by memory and by lane-crossing work.
set(warpvp_exec_plain_ops atomic bulk matrix matrix_moves warp_ops system texture sampling surface image_query video stack
    policy)
