//! Numbers with their derivative by one variable: the derivative of a computation comes with its result.

use std::ops::{Add, Mul, Sub};

/// A value, and its derivative by the variable.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Dual {
    pub value: f64,
    pub slope: f64,
}

impl Dual {
    /// A number that does not depend on the variable.
    pub fn constant(value: f64) -> Self {
        Dual { value, slope: 0.0 }
    }

    /// The variable itself, with slope 1.
    pub fn variable(value: f64) -> Self {
        Dual { value, slope: 1.0 }
    }

    pub fn tanh(self) -> Self {
        let value = self.value.tanh();
        Dual {
            value,
            slope: (1.0 - value * value) * self.slope,
        }
    }

    /// Returns `1/(1 + e^(−x))`.
    pub fn sigmoid(self) -> Self {
        let value = 1.0 / (1.0 + (-self.value).exp());
        Dual {
            value,
            slope: value * (1.0 - value) * self.slope,
        }
    }
}

impl Add for Dual {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Dual {
            value: self.value + other.value,
            slope: self.slope + other.slope,
        }
    }
}

impl Sub for Dual {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self + other * -1.0
    }
}

impl Mul for Dual {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        Dual {
            value: self.value * other.value,
            slope: self.slope * other.value + self.value * other.slope,
        }
    }
}

impl Mul<f64> for Dual {
    type Output = Self;

    fn mul(self, factor: f64) -> Self {
        self * Dual::constant(factor)
    }
}
