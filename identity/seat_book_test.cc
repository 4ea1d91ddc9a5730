#include "identity/seat_book.h"

#include <gtest/gtest.h>

namespace lockstep::identity {
namespace {

Seat SeatOf(std::string host, std::string gpu, std::string uuid, std::string model = "") {
  return {std::move(host), std::move(gpu), std::move(uuid), std::move(model)};
}

TEST(SeatBook, CompletesAGpuByItsUuid) {
  SeatBook book;
  book.Learn(SeatOf("n1", "", "A"));
  book.Learn(SeatOf("", "3", "A", "H200"));
  EXPECT_EQ(book.Complete(SeatOf("", "", "A")), SeatOf("n1", "3", "A", "H200"));
  // What it says itself stays.
  EXPECT_EQ(book.Complete(SeatOf("n2", "4", "A", "x")), SeatOf("n2", "4", "A", "x"));
  EXPECT_EQ(book.Complete(SeatOf("", "", "B")), SeatOf("", "", "B"));
}

TEST(SeatBook, CompletesAGpuByItsPlace) {
  SeatBook book;
  book.Learn(SeatOf("n1", "3", "A", "H200"));
  EXPECT_EQ(book.Complete(SeatOf("n1", "3", "")), SeatOf("n1", "3", "A", "H200"));
  EXPECT_EQ(book.Complete(SeatOf("n1", "4", "")), SeatOf("n1", "4", ""));
  EXPECT_EQ(book.Complete(SeatOf("n2", "3", "")), SeatOf("n2", "3", ""));
  EXPECT_EQ(book.Complete(SeatOf("n1", "", "")), SeatOf("n1", "", ""));
  EXPECT_EQ(book.Complete(SeatOf("n1", "3", "B")), SeatOf("n1", "3", "B"));
}

TEST(SeatBook, LearnsNothingFromASeatThatIsNotComplete) {
  SeatBook book;
  book.Learn(SeatOf("n1", "3", ""));
  book.Learn(SeatOf("n1", "", "A"));
  book.Learn(SeatOf("", "4", "B"));
  EXPECT_EQ(book.Complete(SeatOf("n1", "3", "")), SeatOf("n1", "3", ""));
  EXPECT_EQ(book.Complete(SeatOf("", "4", "")), SeatOf("", "4", ""));
  EXPECT_EQ(book.Complete(SeatOf("", "", "")), SeatOf("", "", ""));
}

TEST(SeatBook, SeatsMayBeTheSameUnlessAFieldDiffers) {
  const auto both = [](const Seat& a, const Seat& b) {
    EXPECT_EQ(MayBeSame(a, b), MayBeSame(b, a));
    return MayBeSame(a, b);
  };
  EXPECT_TRUE(both(SeatOf("n1", "3", "A"), SeatOf("n2", "4", "A")));  // it was moved
  EXPECT_FALSE(both(SeatOf("n1", "3", "A"), SeatOf("n1", "3", "B")));
  EXPECT_TRUE(both(SeatOf("n1", "3", ""), SeatOf("n1", "3", "B")));
  EXPECT_FALSE(both(SeatOf("n1", "3", ""), SeatOf("n2", "3", "")));
  EXPECT_FALSE(both(SeatOf("n1", "3", ""), SeatOf("n1", "4", "")));
  EXPECT_TRUE(both(SeatOf("", "3", ""), SeatOf("n1", "3", "")));
  // One of them is known by its host alone.
  EXPECT_TRUE(both(SeatOf("n1", "", ""), SeatOf("n1", "3", "A")));
  EXPECT_FALSE(both(SeatOf("n2", "", ""), SeatOf("n1", "3", "A")));
  // One by its place and one by its UUID, of one host: nothing says that they are the same.
  EXPECT_FALSE(both(SeatOf("n1", "3", ""), SeatOf("n1", "", "A")));
}

TEST(SeatBook, MergingAddsWhatIsMissing) {
  Seat seat = SeatOf("n1", "", "A");
  Merge(SeatOf("n2", "3", "B", "H200"), seat);
  EXPECT_EQ(seat, SeatOf("n1", "3", "A", "H200"));
  Seat empty;
  Merge(seat, empty);
  EXPECT_EQ(empty, seat);
}

}  // namespace
}  // namespace lockstep::identity
