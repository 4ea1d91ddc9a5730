# A benchmark on an empty folder: cmake -DBENCH= -DARGUMENTS= -DDATA= -P run_tiny.cmake
file(REMOVE_RECURSE ${DATA})
file(MAKE_DIRECTORY ${DATA})
execute_process(COMMAND ${BENCH} --data ${DATA} ${ARGUMENTS} COMMAND_ERROR_IS_FATAL ANY)
file(REMOVE_RECURSE ${DATA})
