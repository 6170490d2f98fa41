#include "cli/own_study/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "base/file.h"
#include "base/private_directory.h"
#include "base/text.h"
#include "cli/kernel_name.h"
#include "cli/launch_assign.h"
#include "cli/launch_buffers.h"
#include "cli/launch_prepare.h"
#include "cli/launch_symbols.h"
#include "cli/own_study/agreement.h"
#include "cli/own_study/numpy.h"
#include "cli/own_study/texts.h"
#include "forecast/sentences.h"
#include "model/prediction.h"
#include "study/digest.h"

namespace ww::cli {

namespace {

std::string dim_text(const device::Dim3& d) {
  if (d.z > 1) return fmt::format("{}x{}x{}", d.x, d.y, d.z);
  return d.y > 1 ? fmt::format("{}x{}", d.x, d.y) : fmt::format("{}", d.x);
}

/// "mine.json:3:12: message (hint)".
std::string why_text(const Diagnostics& why) {
  std::string text;
  for (const Diagnostic& d : why) {
    text += text.empty() ? "" : "; ";
    if (d.where.known()) text += fmt::format("{}:{}:{}: ", d.where.file, d.where.line, d.where.column);
    text += d.message;
    if (!d.hint.empty()) text += " (" + d.hint + ")";
  }
  return text;
}

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

bool is_numpy(const std::string& text) { return text.starts_with("numpy:"); }

/// The names of the arrays that a launch allocates for an argument, in its order.
void names_of_arrays(const LaunchArgument& value, const std::string& name, const Parameter* parameter,
                     std::vector<std::string>& out) {
  if (const auto* array = std::get_if<ArrayArgument>(&value)) {
    if (array->kind != ArrayArgument::Kind::Shared) out.push_back(name);
  } else if (std::holds_alternative<TextureArgument>(value)) {
    out.push_back(name);
  } else if (const auto* structure = std::get_if<StructArgument>(&value)) {
    for (size_t i = 0; i < structure->members.size(); ++i) {
      std::string path;
      for (const ptx::DebugMember& m : parameter ? parameter->members : std::vector<ptx::DebugMember>())
        if (i < structure->offsets.size() && m.offset == structure->offsets[i]) path = m.path;
      names_of_arrays(structure->members[i], name + (path.empty() || path[0] == '[' ? "" : ".") + path,
                      nullptr, out);
    }
  }
}

/// As Python may have it: p.in[2] is p_in_2.
std::string python_name(const std::string& name) {
  std::string out;
  for (char c : name)
    if (c != ']') out += c == '.' || c == '[' ? '_' : c;
  return out;
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

struct OwnRunner::Prepared {
  const StudyKernel* kernel = nullptr;
  std::string ptx;
  device::Dim3 grid, block;
  uint64_t shared = 0;
  CompileOptions compile;                 ///< with the macros
  std::vector<LaunchArgument> arguments;  ///< as the kernel's texts have them, one or more for a struct
  std::vector<SymbolValue> symbols;
  std::map<std::string, std::string> words;  ///< what numpy expressions may name besides arrays
  std::string key;                           ///< all that the row depends on
  std::shared_ptr<PrivateDirectory> files;   ///< with the arrays that numpy made
  std::vector<Prepared> then;                ///< what runs behind it
};

/// One kernel with its memory.
struct OwnRunner::Launched {
  explicit Launched(device::Device& device) : buffers(device) {}
  ~Launched() { launch.module.reset(); }
  LaunchBuffers buffers;
  device::Launch launch;
};

/// The kernels of a configuration, as far as they ran.
struct OwnRunner::Chain {
  std::vector<std::unique_ptr<Launched>> launched;
  SharedArrays arrays;                       ///< by the names that the study gives their arguments
  std::map<std::string, npy::Array> inputs;  ///< as they are before the first launch, where asked for
  std::vector<device::LaunchReport> reports;
  double seconds = 0;
  std::string text;  ///< the PTX of the last one

  const Fault* fault() const {
    return reports.empty() || reports.back().faults.empty() ? nullptr : &reports.back().faults[0];
  }
};

OwnRunner::OwnRunner(const OwnStudy& study, device::Device& device, const kernels::RunOptions& options,
                     study::Cache* cache, std::string folder, uint64_t seed)
    : study_(study),
      device_(device),
      options_(options),
      cache_(cache),
      folder_(std::move(folder)),
      seed_(seed) {
  std::vector<gpus::Gpu> gpus;
  for (const gpus::Gpu* gpu : options_.gpus) gpus.push_back(*gpu);
  least_ = least_capability(gpus);
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
    auto text = define_of(define, values);
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
  auto grid = extent_of(kernel.grid, values), block = extent_of(kernel.block, values);
  if (!grid) return grid.error();
  if (!block) return block.error();
  out.grid = *grid, out.block = *block;
  if (!kernel.shared.text.empty()) {
    auto bytes = whole_number(kernel.shared, values, 0, INT32_MAX);
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
      const std::string expression = with_values(text.text.substr(6), values);
      auto array = numpy_value(expression, values, {});
      if (!array) return error_at(text.where, array.error()[0].message, array.error()[0].hint);
      if (!out.files) out.files = std::make_shared<PrivateDirectory>();
      const std::string file = out.files->file(argument.name + ".npy");
      if (auto ok = npy::write(file, *array); !ok) return ok.error();
      out.arguments.push_back(ArrayArgument{ArrayArgument::Kind::In, npy::Dtype::F4, {}, file});
      out.key += "numpy " + expression + "\n";
      for (const auto& [axis, value] : values) out.key += axis + "=" + value + "\n";
      continue;
    }
    auto worked = argument_of(text, values, folder_);
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
    auto worked = argument_of({symbol.text.substr(std::min(equals + 1, symbol.text.size())), symbol.where},
                              values, folder_);
    if (!worked) return worked.error();
    const std::string text = symbol.text.substr(0, equals) + "=" + *worked;
    auto parsed = parse_symbol(text);
    if (!parsed) return error_at(symbol.where, parsed.error()[0].message, parsed.error()[0].hint);
    files_in(parsed->value, files);
    out.symbols.push_back(std::move(*parsed));
    out.key += text + "\n";
  }
  for (const StudyCheck& check : kernel.checks) {
    out.key += fmt::format("{} = {} within {} {}\n", check.name, with_values(check.reference.text, values),
                           kernel.relative, kernel.absolute);
    if (check.reference.text.starts_with("kernel:"))  // what it does depends on its file
      for (const StudyKernel& other : study_.kernels)
        if ("kernel:" + other.name == check.reference.text) files.push_back(other.file);
    if (check.reference.text.ends_with(".npy"))
      files.push_back(folder_ + with_values(check.reference.text, values));
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

/// The text of the next parameter: several texts may speak of one struct.
size_t OwnRunner::behind_argument(const StudyKernel& kernel, size_t text) {
  const StudyArgument& first = kernel.arguments[text++];
  while (!first.path.empty() && text < kernel.arguments.size() && !kernel.arguments[text].path.empty() &&
         kernel.arguments[text].name == first.name)
    ++text;
  return text;
}

Result<std::vector<LaunchArgument>> OwnRunner::whole_arguments(const Prepared& prepared,
                                                               const device::Launch& launch,
                                                               const std::vector<LaunchArgument>& given,
                                                               std::vector<Parameter>& parameters) {
  const StudyKernel& kernel = *prepared.kernel;
  const ir::Module* code = launch.module->code();
  if (!code) return given;
  bool members = false;
  for (size_t i = 0; i < given.size(); ++i) {
    const auto* structure = std::get_if<StructArgument>(&given[i]);
    members |= !kernel.arguments[i].path.empty() || (structure && !structure->names.empty());
  }
  const std::string key = prepared.ptx + launch.kernel;
  if (!members) {
    parameters = parameters_of(*code, launch.kernel);
  } else if (const auto it = parameters_.find(key); it != parameters_.end()) {
    parameters = it->second;
  } else {
    LaunchOptions options;
    options.files = {kernel.file};
    options.kernel = kernel.entry;
    options.compile = prepared.compile;
    parameters = parameters_[key] =
        known_parameters(options, *code, launch.kernel, {{kernel.file, prepared.ptx}}, true);
  }
  std::vector<NamedArgument> named;
  for (size_t i = 0, place = 0; i < given.size(); ++place) {
    const size_t end = behind_argument(kernel, i);
    for (; i < end; ++i)  // the study's names are its own: parameters go by their places
      named.push_back({std::to_string(place + 1), kernel.arguments[i].path, "", given[i]});
  }
  Diagnostics notes;
  const std::string name = name_for_people(launch.kernel);
  if (!members) {
    std::vector<LaunchArgument> out = given;
    if (auto ok = fit_arguments(out, parameters, name); !ok) return ok.error();
    return out;
  }
  auto out = assign_arguments(named, parameters, name, notes);
  if (!out) return out;
  if (auto ok = fit_arguments(*out, parameters, name); !ok) return ok.error();
  return out;
}

Status OwnRunner::place(const Prepared& prepared, bool keep_inputs, Chain& chain) {
  const StudyKernel& kernel = *prepared.kernel;
  const Launched* before = chain.launched.empty() ? nullptr : chain.launched.back().get();
  const bool same = before && chain.text == prepared.ptx;  // its variables are those that the one before left
  Launched& out = *chain.launched.emplace_back(std::make_unique<Launched>(device_));
  device::Launch& launch = out.launch;
  launch.grid = prepared.grid, launch.block = prepared.block;
  launch.dynamic_shared = prepared.shared;
  launch.cooperative = kernel.cooperative;
  if (same) {
    launch.module = before->launch.module;
  } else {
    auto module = device_.load(kernel.file, prepared.ptx);
    if (!module) return module.error();
    launch.module = *module;
    chain.text = prepared.ptx;
  }
  auto entry = choose_kernel(launch.module->kernels(), kernel.entry);
  if (!entry) return entry.error();
  launch.kernel = *entry;
  std::vector<LaunchArgument> given = prepared.arguments;
  for (size_t i = 0; i < given.size(); ++i)
    if (auto ok = find_shared(given[i], chain.arrays); !ok)
      return error_at(kernel.arguments[i].text.where, ok.error()[0].message, ok.error()[0].hint);
  std::vector<Parameter> parameters;
  auto whole = whole_arguments(prepared, launch, given, parameters);
  if (!whole) return whole.error();
  const std::vector<LaunchArgument>& arguments = *whole;
  out.buffers.share(&chain.arrays);
  if (auto ok = out.buffers.prepare(arguments, seed_); !ok) return ok.error();
  std::vector<SymbolValue> symbols = prepared.symbols;
  std::vector<std::string> set;
  const std::vector<LaunchBuffers::Placed> placed = out.buffers.placed();
  if (auto ok = set_symbols(*launch.module, symbols, out.buffers, seed_, set); !ok) return ok.error();
  launch.arguments = out.buffers.arguments();
  if (auto ok = device::check_launch(device_.info(), launch); !ok) return ok.error();
  std::vector<std::string> names;
  for (size_t i = 0, text = 0; i < arguments.size(); ++i) {
    names_of_arrays(arguments[i], kernel.arguments[text].name,
                    i < parameters.size() ? &parameters[i] : nullptr, names);
    text = behind_argument(kernel, text);
  }
  for (size_t i = 0; i < placed.size() && i < names.size(); ++i) {
    const LaunchBuffers::Placed& at = placed[i];
    chain.arrays[names[i]] = at;
    if (!keep_inputs) continue;
    npy::Array array{at.dtype, at.shape, std::vector<std::byte>(at.bytes)};
    if (auto ok = device_.read(at.address, array.bytes); !ok) return ok.error();
    chain.inputs[python_name(names[i])] = std::move(array);
  }
  return {};
}

Result<std::unique_ptr<OwnRunner::Chain>> OwnRunner::launch(const Prepared& first, bool keep_inputs,
                                                            const std::vector<const gpus::Gpu*>* count_as) {
  auto chain = std::make_unique<Chain>();
  std::vector<const Prepared*> all = {&first};
  for (const Prepared& next : first.then) all.push_back(&next);
  for (const Prepared* prepared : all) {
    if (auto ok = place(*prepared, keep_inputs, *chain); !ok) return ok.error();
    device::Launch& launch = chain->launched.back()->launch;
    if (count_as) {
      launch.count = true;
      launch.gpus = *count_as;
      launch.advise = !count_as->empty();
      launch.sample = options_.sample;
      if (options_.registers > 0)
        launch.registers.push_back({"", options_.registers, Provenance::Input, "given"});
    }
    const auto start = std::chrono::steady_clock::now();
    auto report = device_.launch(launch);
    if (!report) return report.error();
    chain->seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    chain->reports.push_back(std::move(*report));
    if (chain->fault()) break;
  }
  return chain;
}

Result<npy::Array> OwnRunner::output_of(const std::string& name, const std::string& argument,
                                        const AxisValues& values) {
  const auto kernel = std::find_if(study_.kernels.begin(), study_.kernels.end(),
                                   [&](const StudyKernel& k) { return k.name == name; });
  if (kernel == study_.kernels.end()) {
    std::vector<std::string> names;
    for (const StudyKernel& k : study_.kernels) names.push_back(k.name);
    return error(fmt::format("the study has no kernel '{}'", printable(name)),
                 fmt::format("it has {}", fmt::join(names, ", ")));
  }
  AxisValues own;  // where it has axes of its own, the first values
  for (const StudyAxis& axis : study_.axes) {
    if (std::find(kernel->axes.begin(), kernel->axes.end(), axis.info.name) == kernel->axes.end()) continue;
    const auto limited = kernel->values.find(axis.info.name);
    const auto given = values.find(axis.info.name);
    const auto& all = limited == kernel->values.end() ? axis.values : limited->second;
    const bool taken =
        given != values.end() &&
        (limited == kernel->values.end() || std::find(all.begin(), all.end(), given->second) != all.end());
    own[axis.info.name] = taken ? given->second : all.front();
  }
  auto prepared = prepare(*kernel, own);
  if (!prepared) return prepared.error();
  const std::string key = prepared->key + argument;
  if (key == output_key_) return output_;
  auto ran = launch(*prepared, false, nullptr);
  if (!ran) return ran.error();
  const Chain& chain = **ran;
  if (chain.fault()) return error(fmt::format("{}: {}", name, chain.fault()->message));
  const auto at = chain.arrays.find(argument);
  if (at == chain.arrays.end())
    return error(fmt::format("'{}' has no array '{}'", printable(name), printable(argument)));
  output_ = {at->second.dtype, at->second.shape, std::vector<std::byte>(at->second.bytes)};
  if (auto ok = device_.read(at->second.address, output_.bytes); !ok) return ok.error();
  output_key_ = key;
  return output_;
}

Result<npy::Array> OwnRunner::reference_of(const StudyCheck& check, const StudyConfiguration& configuration,
                                           const Prepared& prepared, const Chain& chain) {
  std::string text = with_values(check.reference.text, configuration.values);
  if (text.starts_with("kernel:")) return output_of(text.substr(7), check.name, configuration.values);
  if (text.ends_with(".npy")) return npy::read(text.starts_with('/') ? text : folder_ + text);
  if (is_numpy(text)) text = text.substr(6);
  return numpy_value(text, prepared.words, chain.inputs);
}

Status OwnRunner::verify(const StudyConfiguration& configuration, const Prepared& prepared,
                         const Chain& chain, Row& row) {
  const StudyKernel& kernel = *prepared.kernel;
  bool right = true;
  double max_error = 0, of_bound = 0;
  std::string wrong;
  size_t checked = 0;
  for (const StudyCheck& check : kernel.checks) {
    if (check.reference.text == "kernel:" + kernel.name) continue;  // says nothing
    ++checked;
    const auto located = [&](const Diagnostics& why) {
      return error_at(check.reference.where, fmt::format("{}: {}", check.name, why[0].message), why[0].hint);
    };
    const auto at = chain.arrays.find(check.name);
    if (at == chain.arrays.end())
      return error_at(check.reference.where, fmt::format("{} is no array", check.name));
    npy::Array found{at->second.dtype, at->second.shape, std::vector<std::byte>(at->second.bytes)};
    if (auto ok = device_.read(at->second.address, found.bytes); !ok) return ok;
    auto reference = reference_of(check, configuration, prepared, chain);
    if (!reference) return located(reference.error());
    auto agreement = compare_arrays(found, *reference, kernel.relative, kernel.absolute);
    if (!agreement) return located(agreement.error());
    max_error = std::isnan(agreement->max_error) ? NAN : std::max(max_error, agreement->max_error);
    of_bound = std::max(of_bound, agreement->of_bound);
    if (agreement->wrong == 0) continue;
    right = false;
    wrong += fmt::format("{}{}: {} of {} elements; first: {}", wrong.empty() ? "" : "; ", check.name,
                         agreement->wrong, agreement->elements, agreement->first);
  }
  if (checked == 0) return {};
  row.values.push_back({"verified", int64_t{right}, "", Provenance::Measured,
                        "1 if every element lies within its tolerance of the reference"});
  row.values.push_back(
      {"max_error", max_error, "", Provenance::Measured, "largest absolute difference from the reference"});
  row.values.push_back({"error_of_bound", of_bound, "", Provenance::Measured,
                        "largest difference from the reference as a part of its tolerance"});
  if (!right) row.values.push_back({"wrong", wrong, "", Provenance::Measured, "what the verification found"});
  return {};
}

Result<std::vector<Row>> OwnRunner::run(const StudyConfiguration& configuration, const Prepared& prepared,
                                        const Row& named, const std::vector<const gpus::Gpu*>& gpus) {
  const bool verified = !options_.sample && !prepared.kernel->checks.empty();
  auto ran = launch(prepared, verified, &gpus);
  if (!ran) return ran.error();
  const Chain& chain = **ran;
  Row row = named;
  if (chain.fault()) {
    std::string text;
    for (const Fault& fault : chain.reports.back().faults)
      text +=
          (text.empty() ? "" : "\n") + readable_message(fault.message, chain.launched.back()->launch.kernel);
    row.values.push_back(
        {"verified", int64_t{0}, "", Provenance::Measured, "0: the kernel did something wrong"});
    row.values.push_back({"fault", text, "", Provenance::Measured, "what the kernel did wrong"});
  } else if (verified) {
    if (auto ok = verify(configuration, prepared, chain, row); !ok) return ok.error();
  }
  row.values.push_back(
      {"wall_time", chain.seconds, "s", Provenance::Measured, "the launches as the host saw them"});
  std::string grids = dim_text(prepared.grid);
  for (const Prepared& next : prepared.then) grids += ", " + dim_text(next.grid);
  row.values.push_back({"grid", grids, "", Provenance::Input, "blocks of the grid"});
  std::vector<Row> rows;
  for (size_t g = 0; g < chain.reports[0].gpus.size(); ++g)
    rows.push_back(row_of_gpu(row, chain, g, *gpus[g]));
  if (rows.empty()) {
    for (const device::LaunchReport& report : chain.reports) kernels::add_values(row.values, report.values);
    rows.push_back(std::move(row));
  }
  return rows;
}

Row OwnRunner::row_of_gpu(const Row& row, const Chain& chain, size_t g, const gpus::Gpu& gpu) const {
  Row out = row;
  std::vector<Value> values;
  std::vector<model::Prediction> predictions;
  std::string tried;
  for (size_t i = 0; i < chain.reports.size(); ++i) {
    const device::GpuReport& on = chain.reports[i].gpus[g];
    out[Axis::Gpu] = on.gpu;
    kernels::add_values(values, on.values);
    if (!on.figures) continue;
    const forecast::Figures& figures = *on.figures;
    predictions.push_back(figures.prediction);
    if (out.refused.empty()) out.refused = figures.prediction.refused;
    if (!figures.padding || !forecast::conflicts_matter(figures.prediction.activity)) continue;
    const std::string sentence = forecast::padding_sentence(gpu, figures.prediction, *figures.padding).text;
    if (sentence.empty()) continue;
    const std::string of = short_name_for_people(chain.launched[i]->launch.kernel);
    tried += (tried.empty() ? "" : " ") + (chain.reports.size() > 1 ? of + ": " + sentence : sentence);
  }
  for (Value& v : values) out.values.push_back(std::move(v));
  if (!predictions.empty())
    for (Value& v : model::values_of(predictions)) out.values.push_back(std::move(v));
  if (!tried.empty())
    out.values.push_back(
        {"tried", tried, "", Provenance::Modelled, "what longer rows in shared memory give"});
  return out;
}

std::vector<Row> OwnRunner::rows_of(const StudyConfiguration& configuration, bool& known) {
  const StudyKernel& kernel = *configuration.kernel;
  known = false;
  Row named;
  named[Axis::Study] = study_.study.name;
  named[Axis::Kernel] = kernel.name;
  named[Axis::Device] = device_.info().id;
  for (const auto& [axis, value] : configuration.values) named[axis_named(axis)] = value;
  const auto refuse = [&](const Diagnostics& why) {
    Row row = named;
    row.refused = why_text(why);
    return std::vector<Row>{row};
  };
  auto prepared = prepare(kernel, configuration.values);
  if (!prepared) return refuse(prepared.error());
  named[Axis::Block] = dim_text(prepared->block);

  std::vector<const gpus::Gpu*> gpus = options_.gpus, missing;
  if (gpus.empty()) gpus = {nullptr};
  std::vector<std::string> keys;
  std::vector<std::optional<Row>> found;
  for (const gpus::Gpu* gpu : gpus) {
    std::string what = prepared->key;
    for (const auto& [axis, text] : Axes(named.axes)) what += fmt::format("{}={}\n", axis.name(), text);
    keys.push_back(cache_ ? study::Cache::key(what, gpu, options_) : "");
    found.push_back(cache_ ? cache_->find(keys.back()) : std::nullopt);
    if (!found.back() && gpu) missing.push_back(gpu);
  }
  known = std::all_of(found.begin(), found.end(), [](const auto& row) { return row.has_value(); });
  if (!known) {
    auto rows = run(configuration, *prepared, named, missing);
    if (!rows) return refuse(rows.error());
    if (rows->size() < keys.size() && rows->size() != missing.size())
      return *rows;  // a fault, the same on all
    for (size_t i = 0, next = 0; i < gpus.size(); ++i) {
      if (found[i]) continue;
      if (cache_) cache_->store(keys[i], (*rows)[next]);
      found[i] = std::move((*rows)[next++]);
    }
  }
  std::vector<Row> rows;
  for (auto& row : found) rows.push_back(std::move(*row));
  return rows;
}

}  // namespace ww::cli
