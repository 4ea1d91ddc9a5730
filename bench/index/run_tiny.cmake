# The benchmark on an empty folder: cmake -DBENCH= -DDATA= -P run_tiny.cmake
file(REMOVE_RECURSE ${DATA})
file(MAKE_DIRECTORY ${DATA})
execute_process(COMMAND ${BENCH} --data ${DATA} --series 31 5000 COMMAND_ERROR_IS_FATAL ANY)
file(REMOVE_RECURSE ${DATA})
