//! The date and the time of day that templates write.

/// A day and a time, which the caller takes from its clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Date {
    /// The year of the Gregorian calendar.
    pub year: u32,
    /// The month from 1 to 12.
    pub month: u32,
    /// The day of the month from 1.
    pub day: u32,
    /// The hour from 0 to 23.
    pub hour: u32,
    /// The minute from 0 to 59.
    pub minute: u32,
}

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const DAYS: [&str; 7] = [
    "Sunday",
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
];
const SECONDS_A_DAY: u64 = 86_400;

impl Date {
    /// Returns the date and time of so many seconds after the beginning of 1970, in coordinated universal time.
    pub fn of_unix_seconds(seconds: u64) -> Self {
        // Years that begin in March, so that a leap day is the last: 400 of them have 146,097 days.
        let days = seconds / SECONDS_A_DAY + 719_468;
        let (era, day_of_era) = (days / 146_097, days % 146_097);
        let year_of_era =
            (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let from_march = (5 * day_of_year + 2) / 153;
        let month = if from_march < 10 {
            from_march + 3
        } else {
            from_march - 9
        };
        let within = seconds % SECONDS_A_DAY;
        Date {
            year: (era * 400 + year_of_era + u64::from(month <= 2)) as u32,
            month: month as u32,
            day: (day_of_year - (153 * from_march + 2) / 5 + 1) as u32,
            hour: (within / 3600) as u32,
            minute: (within % 3600 / 60) as u32,
        }
    }

    /// Returns the date in the form of Python's `strftime`.
    ///
    /// # Errors
    /// A sentence about a directive that is not implemented.
    pub(crate) fn formatted(self, format: &str) -> Result<String, String> {
        let mut text = String::new();
        let mut letters = format.chars();
        while let Some(letter) = letters.next() {
            if letter != '%' {
                text.push(letter);
                continue;
            }
            let (pads, directive) = match letters.next() {
                Some('-') => (false, letters.next()),
                directive => (true, directive),
            };
            let written = directive.and_then(|directive| self.directive(directive, pads));
            let written = written.ok_or_else(|| {
                format!("strftime_now({format:?}) has a directive that is not implemented")
            })?;
            text.push_str(&written);
        }
        Ok(text)
    }

    fn directive(self, directive: char, pads: bool) -> Option<String> {
        let two = |number: u32| match pads {
            true => format!("{number:02}"),
            false => number.to_string(),
        };
        let month = MONTHS.get(self.month.checked_sub(1)? as usize)?;
        let day = DAYS[self.day_of_week()];
        Some(match directive {
            'Y' => self.year.to_string(),
            'y' => two(self.year % 100),
            'm' => two(self.month),
            'B' => (*month).to_owned(),
            'b' => month[..3].to_owned(),
            'd' => two(self.day),
            'A' => day.to_owned(),
            'a' => day[..3].to_owned(),
            'H' => two(self.hour),
            'I' => two((self.hour + 11) % 12 + 1),
            'M' => two(self.minute),
            'p' => if self.hour < 12 { "AM" } else { "PM" }.to_owned(),
            '%' => "%".to_owned(),
            _ => return None,
        })
    }

    /// Returns the day of the week from Sunday, by Sakamoto's rule.
    fn day_of_week(self) -> usize {
        const SHIFTS: [u32; 12] = [0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4];
        let year = if self.month < 3 {
            self.year.saturating_sub(1)
        } else {
            self.year
        };
        let shift = SHIFTS[(self.month.clamp(1, 12) - 1) as usize];
        ((year + year / 4 - year / 100 + year / 400 + shift + self.day) % 7) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_written_as_python_does() {
        let date = Date::of_unix_seconds(1_709_211_900);
        let written = |format: &str| date.formatted(format).unwrap();
        assert_eq!(written("%d %b %Y"), "29 Feb 2024");
        assert_eq!(
            written("%A, %B %-d, %y %H:%M %I%p 100%%"),
            "Thursday, February 29, 24 13:05 01PM 100%"
        );
        assert!(date.formatted("%Q").unwrap_err().contains("%Q"));
        assert!(date.formatted("%").is_err());
        let first = Date::of_unix_seconds(0);
        assert_eq!(
            first.formatted("%a %Y-%m-%d %I").unwrap(),
            "Thu 1970-01-01 12"
        );
    }
}
