fn main() {
    let count: i32 = "three";
    let name = String::from("tea");
    let moved = name;
    println!("{} {}", name, cuont);
}
