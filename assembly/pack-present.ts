// Which values of a column are there: those that are stand one behind the other in place of all, and a byte tells of
// each whether it is one of them.

/** Numbers of 32 bits; there are none below 0. Answers how many there are. */
export function presentWords(at: usize, count: u32, marks: usize): u32 {
  let into = at;
  for (let i: u32 = 0; i < count; i++) {
    const value = load<i32>(at + (<usize>i << 2));
    const isPresent = value >= 0;
    store<i32>(into, value);
    store<u8>(marks + i, <u8>isPresent);
    into += <usize>isPresent << 2;
  }
  return <u32>((into - at) >> 2);
}

/** Doubles; one that is no number is none. */
export function presentNumbers(at: usize, count: u32, marks: usize): u32 {
  let into = at;
  for (let i: u32 = 0; i < count; i++) {
    const value = load<f64>(at + (<usize>i << 3));
    const isPresent = value == value;
    store<f64>(into, value);
    store<u8>(marks + i, <u8>isPresent);
    into += <usize>isPresent << 3;
  }
  return <u32>((into - at) >> 3);
}
