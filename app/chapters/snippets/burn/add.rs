let (n, d) = ({{n}}, {{d}});
let (x, o) = (numbers(n, d, 1), numbers(n, d, 2)); // {{n}} × {{d}}
let x = x + o;
show(x.slice([n - 1..n]));
