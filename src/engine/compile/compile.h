// The second back end: native code made of decoded programs that run for a while. Code is entered and left
// between instructions, so that the interpreter can go on anywhere; results, counters and faults are the
// same.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/decode/program.h"

namespace ww::engine {

struct CompileStep;

/// Which back end runs kernels.
enum class Back { Auto, Interpreter, Compiled };
/// "auto", "interpreter", "compiled" ("" is auto); nothing for other words.
std::optional<Back> back_of(std::string_view name);

/// Whether there is a compiler for this processor's lane code; otherwise `why` says what is missing.
bool can_compile(const LaneCode& lanes, std::string& why);

/// Lets a program enter the code that an earlier process kept of it (code_cache.h), and says how much there
/// was. Quick; never opens the compiler.
Compiled take_kept(Program& program, const LaneCode& lanes);

/// Notes for later processes that this one ran long enough for what is wanted next to be worth making soon:
/// they find Program::begun_before.
void keep_wish(const Program& program, const LaneCode& lanes, Compiled wanted);

/// Compiles the functions of a program, as much as is wanted, and lets their instructions enter the code;
/// says what has come of it, which may be more. May run while the program does. What does not compile stays
/// with the interpreter, for the reason given. `tell` hears before (true) and after (false) each time that
/// the compiler's library is at work, which uses nothing of this process but the program.
Compiled compile(Program& program, const LaneCode& lanes, Compiled wanted, std::string& why,
                 const std::function<void(bool away)>& tell = {});

/// What a function's instructions are to a compiler, before plan_whole() says what whole-warp code makes of
/// them.
std::vector<CompileStep> steps_of(const FunctionCode& f, const LaneCode& lanes);

}  // namespace ww::engine
