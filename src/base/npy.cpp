#include "base/npy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>
#include <charconv>
#include <cstring>
#include <span>

#include "base/file.h"
#include "base/text.h"

namespace ww::npy {
namespace {

static_assert(std::endian::native == std::endian::little, "arrays are handed on as they lie in the file");

constexpr std::string_view kNames[] = {"f2", "f4", "f8", "i1", "i2", "i4",
                                       "i8", "u1", "u2", "u4", "u8", "b1"};
static_assert(std::size(kNames) == kDtypeCount);

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr size_t kLongestHeader = 1 << 16;  // ours have below 200 bytes; NumPy itself refuses above 10,000
constexpr size_t kMostDimensions = 64;      // as NumPy 2

struct RawHeader {
  std::optional<std::string> descr;
  std::optional<bool> fortran_order;
  std::optional<std::vector<uint64_t>> shape;
};

/// The header is a Python dictionary of a string, a boolean and a tuple of integers; nothing else is
/// understood.
class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : text_(text) {}

  /// "" or what is wrong.
  std::string parse(RawHeader& header) {
    if (!eat('{')) return "no dictionary";
    while (!eat('}')) {
      std::string key;
      if (!string(key) || !eat(':')) return "a key in quotes and ':' expected";
      std::string trouble = member(key, header);
      if (!trouble.empty()) return trouble;
      if (!eat(',') && !peek('}')) return "',' or '}' expected";
    }
    skip();
    if (!text_.empty()) return "text after the dictionary";
    if (!header.descr || !header.fortran_order || !header.shape)
      return "one of 'descr', 'fortran_order', 'shape' is missing";
    return {};
  }

 private:
  std::string member(const std::string& key, RawHeader& header) {
    if (key == "descr") {
      if (peek('[')) return "records (structured types) are not supported";
      return string(header.descr.emplace()) ? "" : "'descr' must be a string";
    }
    if (key == "fortran_order") {
      skip();
      for (bool value : {false, true}) {
        std::string_view word = value ? "True" : "False";
        if (!text_.starts_with(word)) continue;
        text_.remove_prefix(word.size());
        header.fortran_order = value;
        return {};
      }
      return "'fortran_order' must be True or False";
    }
    if (key == "shape") return tuple(header.shape.emplace());
    return fmt::format("unknown key '{}'", printable(key));
  }

  std::string tuple(std::vector<uint64_t>& shape) {
    if (!eat('(')) return "'shape' must be a tuple";
    while (!eat(')')) {
      skip();
      uint64_t extent = 0;
      auto [end, code] = std::from_chars(text_.data(), text_.data() + text_.size(), extent);
      if (code != std::errc{}) return "'shape' must hold integers from 0 up to 64 bits";
      text_.remove_prefix(static_cast<size_t>(end - text_.data()));
      if (text_.starts_with('L')) text_.remove_prefix(1);  // Python 2 wrote its long integers so
      shape.push_back(extent);
      if (shape.size() > kMostDimensions) return fmt::format("more than {} dimensions", kMostDimensions);
      if (!eat(',') && (!peek(')') || shape.size() == 1))
        return "',' expected in 'shape'";  // (3) is no tuple
    }
    return {};
  }

  bool string(std::string& out) {
    skip();
    char quote = text_.empty() ? '\0' : text_.front();
    if (quote != '\'' && quote != '"') return false;
    size_t end = text_.find(quote, 1);
    if (end == text_.npos) return false;
    out = text_.substr(1, end - 1);
    text_.remove_prefix(end + 1);
    return out.find('\\') == out.npos;
  }

  void skip() { text_.remove_prefix(std::min(text_.find_first_not_of(" \t\r\n"), text_.size())); }
  bool peek(char c) {
    skip();
    return text_.starts_with(c);
  }
  bool eat(char c) {
    if (!peek(c)) return false;
    text_.remove_prefix(1);
    return true;
  }

  std::string_view text_;
};

Diagnostic refuse(const std::string& file, std::string_view why, std::string hint = {}) {
  return error(fmt::format("cannot read '{}' as a NumPy array: {}", file, why), std::move(hint));
}

}  // namespace

std::string_view name(Dtype dtype) { return kNames[static_cast<int>(dtype)]; }

std::optional<Dtype> dtype_named(std::string_view name) {
  for (int i = 0; i < kDtypeCount; ++i)
    if (kNames[i] == name) return static_cast<Dtype>(i);
  return {};
}

size_t size_of(Dtype dtype) { return static_cast<size_t>(name(dtype)[1] - '0'); }

std::optional<uint64_t> bytes_of(Dtype dtype, const std::vector<uint64_t>& shape) {
  int64_t bytes = static_cast<int64_t>(size_of(dtype));
  for (uint64_t extent : shape)
    if (extent == 0) return 0;
  for (uint64_t extent : shape)
    if (__builtin_mul_overflow(bytes, extent, &bytes)) return {};
  return static_cast<uint64_t>(bytes);
}

namespace {

constexpr size_t kFixed = 12;  // magic, version and the header's length, which format 1.0 tells in 10

struct Start {
  size_t at = 0, length = 0;  // of the dictionary
};

/// Where the dictionary lies. `content` needs to hold the first kFixed bytes only.
Result<Start> find_header(std::string_view content, const std::string& file) {
  if (!content.starts_with(kMagic)) return refuse(file, "it does not start with \\x93NUMPY");
  auto byte = [&](size_t i) { return static_cast<unsigned char>(content[i]); };
  if (content.size() < 10) return refuse(file, "it ends within the header");
  int major = byte(6), minor = byte(7);
  if (major < 1 || major > 3 || minor != 0)
    return refuse(file,
                  fmt::format("format version {}.{} is unknown (1.0, 2.0 and 3.0 are known)", major, minor));
  size_t start = major == 1 ? 10 : 12;
  if (content.size() < start) return refuse(file, "it ends within the header");
  size_t length = byte(8) | size_t{byte(9)} << 8;
  if (major > 1) length |= size_t{byte(10)} << 16 | size_t{byte(11)} << 24;
  return Start{start, length};
}

Status check_length(const Start& start, uint64_t size, const std::string& file) {
  if (start.length > size - start.at) return refuse(file, "it ends within the header");
  if (start.length > kLongestHeader)
    return refuse(file, fmt::format("a header of {} bytes is too long", start.length));
  return {};
}

Result<Header> understand(std::string_view dictionary, const std::string& file) {
  RawHeader header;
  std::string trouble = HeaderParser(dictionary).parse(header);
  if (!trouble.empty()) return refuse(file, "header: " + trouble);
  if (*header.fortran_order) return refuse(file, "Fortran order", "save numpy.ascontiguousarray(a)");

  const std::string& descr = *header.descr;
  auto dtype = dtype_named(descr.empty() ? descr : descr.substr(1));
  if (dtype && size_of(*dtype) > 1 && descr[0] == '>')
    return refuse(file, fmt::format("big endian elements '{}'", descr),
                  fmt::format("save a.astype('<{}')", name(*dtype)));
  if (!dtype || (descr[0] != '<' && !(descr[0] == '|' && size_of(*dtype) == 1)))
    return refuse(file, fmt::format("element type '{}' is not supported", printable(descr)),
                  fmt::format("supported are {}", fmt::join(kNames, " ")));

  auto bytes = bytes_of(*dtype, *header.shape);
  if (!bytes) return refuse(file, fmt::format("the shape ({}) is too large", fmt::join(*header.shape, ", ")));
  return Header{*dtype, std::move(*header.shape), *bytes};
}

/// `has`: bytes of data, or in words.
template <class Has>
Diagnostic wrong_size(const Header& header, const Has& has, const std::string& file) {
  return refuse(file, fmt::format("the shape ({}) needs {} bytes of data, the file has {}",
                                  fmt::join(header.shape, ", "), header.bytes, has));
}

/// The header of a file that stands at its beginning; the file then stands at the data.
Result<Header> header_of(InputFile& file, const std::string& path) {
  std::string text(kFixed, '\0');
  const auto append = [&](size_t from) -> Result<size_t> {
    auto n = file.read(std::as_writable_bytes(std::span(text).subspan(from)));
    if (n) text.resize(from + *n);
    return n;
  };
  text.resize(10);
  if (auto n = append(0); !n) return n.error();
  if (text.size() == 10 && text[6] > 1) {
    text.resize(kFixed);
    if (auto n = append(10); !n) return n.error();
  }
  auto start = find_header(text, path);
  if (!start) return start.error();
  const uint64_t size = file.size().value_or(UINT64_MAX);
  if (auto ok = check_length(*start, size, path); !ok) return ok.error();
  text.resize(start->at + start->length);
  if (auto n = append(start->at); !n) return n.error();
  if (text.size() < start->at + start->length) return refuse(path, "it ends within the header");
  auto header = understand(std::string_view(text).substr(start->at), path);
  if (header && file.size() && size - text.size() != header->bytes)
    return wrong_size(*header, size - text.size(), path);
  return header;
}

}  // namespace

Result<Array> parse(std::string_view content, const std::string& file) {
  auto start = find_header(content, file);
  if (!start) return start.error();
  if (auto ok = check_length(*start, content.size(), file); !ok) return ok.error();
  auto header = understand(content.substr(start->at, start->length), file);
  if (!header) return header.error();
  std::string_view data = content.substr(start->at + start->length);
  if (data.size() != header->bytes) return wrong_size(*header, data.size(), file);
  auto raw = reinterpret_cast<const std::byte*>(data.data());
  return Array{header->dtype, std::move(header->shape), {raw, raw + data.size()}};
}

std::string format(const Array& array) {
  assert(bytes_of(array.dtype, array.shape) == array.bytes.size());
  std::string header = fmt::format("{{'descr': '{}{}', 'fortran_order': False, 'shape': ({}{}), }}",
                                   size_of(array.dtype) == 1 ? '|' : '<', name(array.dtype),
                                   fmt::join(array.shape, ", "), array.shape.size() == 1 ? "," : "");
  // Spaces and a line end so that the data starts at a multiple of 64 bytes, as the format asks.
  constexpr size_t kStart = 10;
  header.append(63 - (kStart + header.size()) % 64, ' ');
  header += '\n';
  assert(header.size() <= 0xffff);  // 64 dimensions of 20 digits are far below
  std::string out(kMagic);
  out += {1, 0, static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)};
  out += header;
  out.append(reinterpret_cast<const char*>(array.bytes.data()), array.bytes.size());
  return out;
}

Result<Header> read_header(const std::string& path) {
  auto file = InputFile::open(path);
  if (!file) return file.error();
  return header_of(*file, path);
}

Result<Array> read(const std::string& path, uint64_t limit) {
  auto file = InputFile::open(path);
  if (!file) return file.error();
  auto header = header_of(*file, path);
  if (!header) return header.error();
  if (header->bytes > limit)
    return refuse(
        path, fmt::format("its {} bytes are more than the {} that there is room for", header->bytes, limit));
  Array array{header->dtype, std::move(header->shape), std::vector<std::byte>(header->bytes)};
  auto n = file->read(array.bytes);
  if (!n) return n.error();
  std::byte more;
  auto behind = file->read({&more, 1});
  if (!behind) return behind.error();
  header->shape = array.shape;
  if (*n < header->bytes) return wrong_size(*header, *n, path);
  if (*behind > 0) return wrong_size(*header, "more", path);
  return array;
}

Status write(const std::string& path, const Array& array) {
  return write_file_atomically(path, format(array));
}

}  // namespace ww::npy
