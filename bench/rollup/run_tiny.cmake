# The benchmark on an empty folder: cmake -DBENCH= -DRECORDING= -DDATA= -P run_tiny.cmake
file(REMOVE_RECURSE ${DATA})
execute_process(
  COMMAND ${BENCH} --recording ${RECORDING} --data ${DATA} --ranks 8 --hours 5 --repeats 1
  COMMAND_ERROR_IS_FATAL ANY)
file(REMOVE_RECURSE ${DATA})
