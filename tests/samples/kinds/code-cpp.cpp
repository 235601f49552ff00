#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

namespace shop {

template <typename T>
class Shelf {
public:
    explicit Shelf(std::string name) : name_(std::move(name)) {}

    void put(const T &thing) { things_.push_back(thing); }
    [[nodiscard]] std::size_t size() const noexcept { return things_.size(); }

private:
    std::string name_;
    std::vector<T> things_;
};

}  // namespace shop

int main() {
    shop::Shelf<int> shelf{"top"};
    for (auto n : {3, 1, 2}) {
        shelf.put(n);
    }
    std::cout << shelf.size() << std::endl;
    return 0;
}
