# Writes OUTPUT, one line: the commit of the source tree ROOT, and the word "modified" where files that the program is
# made of differ from it. Outside of a git checkout: "unknown". The file is touched only when its content changes.
#
# The program reads this file when it runs, instead of having the commit compiled in: so a commit relinks nothing, and
# results of experiments stay good as long as the program is the same (docs/experiments.md).
find_program(GIT git)
set(commit unknown)
if(GIT AND EXISTS ${ROOT}/.git)
  execute_process(COMMAND ${GIT} -C ${ROOT} rev-parse HEAD OUTPUT_VARIABLE head OUTPUT_STRIP_TRAILING_WHITESPACE
                  RESULT_VARIABLE failed ERROR_QUIET)
  if(NOT failed)
    set(commit ${head})
    execute_process(COMMAND ${GIT} -C ${ROOT} --no-optional-locks status --porcelain --untracked-files=no --
                            . :!docs :!tests :!*.md
                    OUTPUT_VARIABLE changes OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(changes)
      string(APPEND commit " modified")
    endif()
  endif()
endif()
set(before "")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} before)
endif()
if(NOT before STREQUAL "${commit}\n")
  file(WRITE ${OUTPUT} "${commit}\n")
endif()
