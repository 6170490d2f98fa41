// From a configuration's texts to all that its launch needs.
#include <fmt/format.h>

#include <algorithm>

#include "base/file.h"
#include "base/text.h"
#include "cli/own_study/prepared.h"
#include "study/digest.h"
#include "userkernel/numpy.h"
#include "userkernel/texts.h"

namespace ww::cli {

namespace {

/// The first line of a compiler's messages that says "error", else the first.
std::string first_complaint(const std::string& messages) {
  std::string first;
  for (size_t begin = 0; begin < messages.size();) {
    const size_t end = std::min(messages.find('\n', begin), messages.size());
    const std::string line = messages.substr(begin, end - begin);
    if (line.find("error") != line.npos) return line;
    if (first.empty()) first = line;
    begin = end + 1;
  }
  return first;
}

/// Files whose contents a configuration depends on.
void files_in(const LaunchArgument& value, std::vector<std::string>& files) {
  if (const auto* texture = std::get_if<TextureArgument>(&value)) return files_in(texture->texels, files);
  if (const auto* array = std::get_if<ArrayArgument>(&value);
      array && (array->kind == ArrayArgument::Kind::In || array->kind == ArrayArgument::Kind::InOut))
    files.push_back(array->path);
  if (const auto* structure = std::get_if<StructArgument>(&value))
    for (const LaunchArgument& member : structure->members) files_in(member, files);
}

}  // namespace

std::string dim_text(const device::Dim3& d) {
  if (d.z > 1) return fmt::format("{}x{}x{}", d.x, d.y, d.z);
  return d.y > 1 ? fmt::format("{}x{}", d.x, d.y) : fmt::format("{}", d.x);
}

bool is_numpy(const std::string& text) { return text.starts_with("numpy:"); }

std::string python_name(const std::string& name) {
  std::string out;
  for (char c : name)
    if (c != ']') out += c == '.' || c == '[' ? '_' : c;
  return out;
}

Result<std::string> OwnRunner::ptx_of(const StudyKernel& kernel, const AxisValues& values,
                                      CompileOptions& options) {
  if (!kernel.file.ends_with(".cu")) return read_file(kernel.file);
  options = kernel.compile;
  options.least = least_;
  std::string key = kernel.file + "\n" + options.arch + "\n" + options.standard + "\n" + kernel.entry;
  for (const std::string& path : options.includes) key += "\nI " + path;
  for (const std::string& flag : options.flags) key += "\nF " + flag;
  for (const StudyText& define : kernel.defines) {
    auto text = userkernel::define_of(define, values);
    if (!text) return text.error();
    options.defines.push_back(*text);
    key += "\nD " + *text;
  }
  if (const auto it = compiled_.find(key); it != compiled_.end()) return it->second;
  const auto compile = [&]() -> Result<std::string> {
    auto compiled = compile_cuda_for(kernel.file, options, kernel.entry);
    if (!compiled) return compiled.error();
    if (!compiled->ok) return error("does not compile: " + printable(first_complaint(compiled->messages)));
    return std::move(compiled->ptx);
  };
  return compiled_.emplace(key, compile()).first->second;
}

Result<OwnRunner::Prepared> OwnRunner::prepare(const StudyKernel& kernel, const AxisValues& values) {
  Prepared out;
  out.kernel = &kernel;
  out.words = values;
  auto grid = userkernel::extent_of(kernel.grid, values), block = userkernel::extent_of(kernel.block, values);
  if (!grid) return grid.error();
  if (!block) return block.error();
  out.grid = *grid, out.block = *block;
  if (!kernel.shared.text.empty()) {
    auto bytes = userkernel::whole_number(kernel.shared, values, 0, INT32_MAX);
    if (!bytes) return bytes.error();
    out.shared = static_cast<uint64_t>(*bytes);
  }
  auto ptx = ptx_of(kernel, values, out.compile);
  if (!ptx) return ptx.error();
  out.ptx = std::move(*ptx);
  out.key = fmt::format("{}\n{}\n{} {} {} {} seed {}\n", study::digest(out.ptx), kernel.entry,
                        dim_text(*grid), dim_text(*block), out.shared, kernel.cooperative, seed_);
  std::vector<std::string> files;
  for (const StudyArgument& argument : kernel.arguments) {
    StudyText text = argument.text;
    if (is_numpy(text.text)) {
      const std::string expression = userkernel::with_values(text.text.substr(6), values);
      auto array = userkernel::numpy_value(expression, values, {});
      if (!array) return error_at(text.where, array.error()[0].message, array.error()[0].hint);
      if (!out.files) out.files = std::make_shared<PrivateDirectory>();
      const std::string file = out.files->file(argument.name + ".npy");
      if (auto ok = npy::write(file, *array); !ok) return ok.error();
      out.arguments.push_back(ArrayArgument{ArrayArgument::Kind::In, npy::Dtype::F4, {}, file});
      out.key += "numpy " + expression + "\n";
      for (const auto& [axis, value] : values) out.key += axis + "=" + value + "\n";
      continue;
    }
    auto worked = userkernel::argument_of(text, values, folder_);
    if (!worked) return worked.error();
    auto parsed = parse_argument(*worked, argument.name);
    if (!parsed) return error_at(text.where, parsed.error()[0].message, parsed.error()[0].hint);
    if (const auto* scalar = std::get_if<ScalarArgument>(&*parsed))
      out.words[python_name(argument.name + (argument.path.empty() ? "" : "." + argument.path))] =
          scalar->text;
    files_in(*parsed, files);
    out.arguments.push_back(std::move(*parsed));
    out.key += *worked + "\n";
  }
  for (const StudyText& symbol : kernel.symbols) {
    const size_t equals = std::min(symbol.text.find('='), symbol.text.size());
    auto worked = userkernel::argument_of(
        {symbol.text.substr(std::min(equals + 1, symbol.text.size())), symbol.where}, values, folder_);
    if (!worked) return worked.error();
    const std::string text = symbol.text.substr(0, equals) + "=" + *worked;
    auto parsed = parse_symbol(text);
    if (!parsed) return error_at(symbol.where, parsed.error()[0].message, parsed.error()[0].hint);
    files_in(parsed->value, files);
    out.symbols.push_back(std::move(*parsed));
    out.key += text + "\n";
  }
  for (const StudyCheck& check : kernel.checks) {
    out.key +=
        fmt::format("{} = {} within {} {}\n", check.name,
                    userkernel::with_values(check.reference.text, values), kernel.relative, kernel.absolute);
    if (check.reference.text.starts_with("kernel:"))  // what it does depends on its file
      for (const StudyKernel& other : study_.kernels)
        if ("kernel:" + other.name == check.reference.text) files.push_back(other.file);
    if (check.reference.text.ends_with(".npy"))
      files.push_back(folder_ + userkernel::with_values(check.reference.text, values));
  }
  for (const std::string& file : files) {
    auto content = read_file(file);
    if (!content) return content.error();
    out.key += fmt::format("file {}\n", study::digest(*content));
  }
  for (const StudyKernel& next : kernel.then) {
    auto prepared = prepare(next, values);
    if (!prepared) return prepared.error();
    out.key += "then " + prepared->key;
    out.then.push_back(std::move(*prepared));
  }
  return out;
}

}  // namespace ww::cli
