#include "hang/dump/pickle.h"

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_format.h"

namespace lockstep::hang {
namespace {

constexpr unsigned char kProtocol = 0x80;
constexpr size_t kMaxMarks = 1000;

// Operations that name or call code, by Python's names for them.
std::string_view NameOfForbidden(unsigned char code) {
  switch (code) {
    case 'c':
      return "GLOBAL";
    case 0x93:
      return "STACK_GLOBAL";
    case 'R':
      return "REDUCE";
    case 'i':
      return "INST";
    case 'o':
      return "OBJ";
    case 'b':
      return "BUILD";
    case 0x81:
      return "NEWOBJ";
    case 0x92:
      return "NEWOBJ_EX";
    case 0x82:
      return "EXT1";
    case 0x83:
      return "EXT2";
    case 0x84:
      return "EXT4";
    case 'P':
      return "PERSID";
    case 'Q':
      return "BINPERSID";
    default:
      return "";
  }
}

class PickleReader {
 public:
  PickleReader(std::string_view bytes, MemoryCharge* memory)
      : bytes_(bytes), memory_(memory), document_(memory) {}

  absl::StatusOr<Document> Read() {
    while (!is_over_) {
      const size_t position = at_;
      if (const absl::Status status = Step(); !status.ok()) {
        return Annotate(status, absl::StrFormat("at byte %d", position));
      }
    }
    if (stack_.size() != 1 || !marks_.empty()) return Damaged("it ends with an unused value");
    document_.set_root(stack_.front());
    return std::move(document_);
  }

 private:
  static absl::Status Damaged(std::string_view why) {
    return absl::InvalidArgumentError(absl::StrFormat("the pickle is damaged: %s", why));
  }
  static absl::Status Cut() { return Damaged("it is cut off"); }

  absl::StatusOr<std::string_view> Take(uint64_t size) {
    if (size > bytes_.size() - at_) return Cut();
    const std::string_view taken = bytes_.substr(at_, size);
    at_ += size;
    return taken;
  }

  // Little-endian, as all numbers of a pickle but the floats.
  absl::StatusOr<uint64_t> TakeNumber(size_t size) {
    LOCKSTEP_ASSIGN_OR_RETURN(const std::string_view taken, Take(size));
    uint64_t number = 0;
    for (size_t i = size; i-- > 0;) number = number << 8 | static_cast<unsigned char>(taken[i]);
    return number;
  }

  absl::Status Push(absl::StatusOr<NodeNumber> node) {
    if (!node.ok()) return node.status();
    constexpr size_t kChunk = 4096;
    if (stack_.size() >= charged_ && memory_ != nullptr) {
      LOCKSTEP_RETURN_IF_ERROR(memory_->Add(2 * sizeof(NodeNumber) * kChunk));
      charged_ += kChunk;
    }
    stack_.push_back(*node);
    return absl::OkStatus();
  }

  size_t Bottom() const { return marks_.empty() ? 0 : marks_.back(); }

  absl::StatusOr<NodeNumber> Top() const {
    if (stack_.size() <= Bottom()) return Damaged("a value is missing");
    return stack_.back();
  }

  absl::Status Step() {
    LOCKSTEP_ASSIGN_OR_RETURN(const uint64_t code, TakeNumber(1));
    switch (code) {
      case kProtocol:
        return Skip(1);
      case 0x95:  // FRAME
        return Skip(8);
      case '.':
        is_over_ = true;
        return absl::OkStatus();
      case 'N':
        return Push(document_.AddNone());
      case 0x88:
      case 0x89:
        return Push(document_.AddBool(code == 0x88));
      case 'J':
      case 'K':
      case 'M':
      case 0x8a:
      case 0x8b:
      case 'G':
        return PushNumber(static_cast<unsigned char>(code));
      case 'X':  // BINUNICODE
      case 'T':  // BINSTRING
      case 'B':  // BINBYTES
        return PushText(4);
      case 0x8c:  // SHORT_BINUNICODE
      case 'U':   // SHORT_BINSTRING
      case 'C':   // SHORT_BINBYTES
        return PushText(1);
      case 0x8d:  // BINUNICODE8
      case 0x8e:  // BINBYTES8
        return PushText(8);
      default:
        return StepOfContainers(static_cast<unsigned char>(code));
    }
  }

  absl::Status StepOfContainers(unsigned char code) {
    switch (code) {
      case '(':
        if (marks_.size() >= kMaxMarks) return Damaged("it is nested too deeply");
        marks_.push_back(stack_.size());
        return absl::OkStatus();
      case ']':
      case ')':  // an empty tuple
        return Push(document_.AddList());
      case '}':
        return Push(document_.AddDict());
      case 't':
      case 'l':
        return PushMarked(document_.AddList());
      case 'd':
        return PushMarked(document_.AddDict());
      case 0x85:  // tuples of one to three
      case 0x86:
      case 0x87:
        return PushTuple(code - 0x84U);
      case 'a':  // APPEND
        return AppendTop(1);
      case 's':  // SETITEM
        return AppendTop(2);
      case 'e':  // APPENDS
      case 'u':  // SETITEMS
        return AppendMarked();
      default:
        return StepOfMemo(code);
    }
  }

  absl::Status StepOfMemo(unsigned char code) {
    switch (code) {
      case 'q':
        return Remember(1);
      case 'r':
        return Remember(4);
      case 0x94:  // MEMOIZE
        return Remember(0);
      case 'h':
        return Recall(1);
      case 'j':
        return Recall(4);
      case '0':  // POP
        if (stack_.size() <= Bottom()) return Damaged("a value is missing");
        stack_.pop_back();
        return absl::OkStatus();
      case '2':  // DUP
        return Push(Top());
      default:
        return Refuse(code);
    }
  }

  static absl::Status Refuse(unsigned char code) {
    const std::string_view name = NameOfForbidden(code);
    if (name.empty()) {
      return Damaged(absl::StrFormat("0x%02x is not an operation of a flight recorder", code));
    }
    return absl::InvalidArgumentError(absl::StrFormat(
        "%s: the pickle wants to run code, which no flight recorder's dump does; it was not read "
        "any further",
        name));
  }

  absl::Status Skip(uint64_t size) { return Take(size).status(); }

  absl::Status PushText(size_t length_bytes) {
    LOCKSTEP_ASSIGN_OR_RETURN(const uint64_t length, TakeNumber(length_bytes));
    LOCKSTEP_ASSIGN_OR_RETURN(const std::string_view text, Take(length));
    return Push(document_.AddText(text));
  }

  absl::Status PushNumber(unsigned char code) {
    if (code == 'G') {
      LOCKSTEP_RETURN_IF_ERROR(Skip(8));
      return Push(document_.AddFloat());
    }
    if (code == 0x8a || code == 0x8b) return PushLong(code == 0x8a ? 1 : 4);
    LOCKSTEP_ASSIGN_OR_RETURN(const uint64_t number, TakeNumber(code == 'J'   ? 4
                                                                : code == 'M' ? 2
                                                                              : 1));
    const bool is_signed = code == 'J';
    return Push(document_.AddInteger(is_signed ? static_cast<int32_t>(static_cast<uint32_t>(number))
                                               : static_cast<int64_t>(number)));
  }

  // Of any length; what exceeds 64 bits becomes a float.
  absl::Status PushLong(size_t length_bytes) {
    LOCKSTEP_ASSIGN_OR_RETURN(const uint64_t length, TakeNumber(length_bytes));
    LOCKSTEP_ASSIGN_OR_RETURN(const std::string_view bytes, Take(length));
    if (bytes.size() > sizeof(int64_t)) return Push(document_.AddFloat());
    const bool is_negative = !bytes.empty() && (bytes.back() & 0x80) != 0;
    uint64_t number = is_negative ? ~uint64_t{0} : 0;
    for (size_t i = bytes.size(); i-- > 0;) {
      number = number << 8 | static_cast<unsigned char>(bytes[i]);
    }
    return Push(document_.AddInteger(static_cast<int64_t>(number)));
  }

  absl::Status PushTuple(size_t size) {
    if (stack_.size() < Bottom() + size) return Damaged("a value is missing");
    LOCKSTEP_ASSIGN_OR_RETURN(const NodeNumber tuple, document_.AddList());
    LOCKSTEP_RETURN_IF_ERROR(
        document_.Append(tuple, std::span(stack_).subspan(stack_.size() - size)));
    stack_.resize(stack_.size() - size);
    stack_.push_back(tuple);
    return absl::OkStatus();
  }

  // Replaces what lies above the mark by a container of it.
  absl::Status PushMarked(absl::StatusOr<NodeNumber> container) {
    if (!container.ok()) return container.status();
    if (marks_.empty()) return Damaged("a mark is missing");
    LOCKSTEP_RETURN_IF_ERROR(
        document_.Append(*container, std::span(stack_).subspan(marks_.back())));
    stack_.resize(marks_.back());
    marks_.pop_back();
    stack_.push_back(*container);
    return absl::OkStatus();
  }

  absl::Status AppendTop(size_t size) {
    if (stack_.size() < Bottom() + size + 1) return Damaged("a value is missing");
    const NodeNumber container = stack_[stack_.size() - size - 1];
    LOCKSTEP_RETURN_IF_ERROR(
        document_.Append(container, std::span(stack_).subspan(stack_.size() - size)));
    stack_.resize(stack_.size() - size);
    return absl::OkStatus();
  }

  absl::Status AppendMarked() {
    if (marks_.empty() || marks_.back() == 0) return Damaged("a mark is missing");
    const size_t mark = marks_.back();
    marks_.pop_back();
    if (mark <= Bottom()) return Damaged("a value is missing");
    LOCKSTEP_RETURN_IF_ERROR(document_.Append(stack_[mark - 1], std::span(stack_).subspan(mark)));
    stack_.resize(mark);
    return absl::OkStatus();
  }

  absl::Status Remember(size_t number_bytes) {
    LOCKSTEP_ASSIGN_OR_RETURN(const NodeNumber top, Top());
    uint64_t number = memo_.size();
    if (number_bytes > 0) {
      LOCKSTEP_ASSIGN_OR_RETURN(number, TakeNumber(number_bytes));
    }
    constexpr uint64_t kEntryBytes = 32;
    if (memory_ != nullptr) LOCKSTEP_RETURN_IF_ERROR(memory_->Add(kEntryBytes));
    memo_[static_cast<uint32_t>(number)] = top;
    return absl::OkStatus();
  }

  absl::Status Recall(size_t number_bytes) {
    LOCKSTEP_ASSIGN_OR_RETURN(const uint64_t number, TakeNumber(number_bytes));
    const auto found = memo_.find(static_cast<uint32_t>(number));
    if (found == memo_.end()) return Damaged("it refers to a value that it does not have");
    return Push(found->second);
  }

  const std::string_view bytes_;
  MemoryCharge* const memory_;
  size_t at_ = 0;
  bool is_over_ = false;
  Document document_;
  std::vector<NodeNumber> stack_;
  size_t charged_ = 0;         // how many places of the stack
  std::vector<size_t> marks_;  // sizes of the stack when they were set
  absl::flat_hash_map<uint32_t, NodeNumber> memo_;
};

}  // namespace

bool IsPickle(std::string_view bytes) {
  constexpr unsigned char kFirst = 2;
  constexpr unsigned char kLast = 5;
  if (bytes.size() < 3 || static_cast<unsigned char>(bytes[0]) != kProtocol) return false;
  const auto version = static_cast<unsigned char>(bytes[1]);
  return version >= kFirst && version <= kLast;
}

absl::StatusOr<Document> ReadPickle(std::string_view bytes, MemoryCharge* memory) {
  if (!IsPickle(bytes)) {
    return absl::InvalidArgumentError("it does not begin like a pickle of protocol 2 to 5");
  }
  return PickleReader(bytes, memory).Read();
}

}  // namespace lockstep::hang
