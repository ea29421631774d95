//! Which lane an item of a key takes (RUN-225, RUN-227).
//!
//! What is relied on: the lane depends on the key and the number of lanes alone, so that items of
//! one key meet in one lane for as long as the loop lives; items without a key take the lanes
//! strictly in turn, whatever the load.

use std::hash::{DefaultHasher, Hasher};

pub(super) struct Keys {
    lanes: usize,
    /// The lane of the next item without a key.
    turn: usize,
}

impl Keys {
    pub(super) const fn new(lanes: usize) -> Self {
        Self { lanes, turn: 0 }
    }

    #[inline]
    pub(super) fn lane(&mut self, key: Option<&[u8]>) -> usize {
        let Some(key) = key else {
            let lane = self.turn;
            self.turn = (lane + 1) % self.lanes;
            return lane;
        };
        // Seeded with constants.
        let mut hasher = DefaultHasher::new();
        hasher.write(key);
        let lane = hasher.finish() % self.lanes as u64;
        usize::try_from(lane).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // RUN-225
    #[test]
    fn a_key_keeps_its_lane_in_every_loop_and_keys_spread_over_the_lanes() {
        let (mut one, mut other) = (Keys::new(8), Keys::new(8));
        let mut met = [false; 8];
        for key in 0_u32..200 {
            let key = key.to_le_bytes();
            let lane = one.lane(Some(&key));
            met[lane] = true;

            assert_eq!(one.lane(Some(&key)), lane);
            other.lane(None);
            assert_eq!(other.lane(Some(&key)), lane);
        }
        assert_eq!(met, [true; 8]);
    }

    // RUN-225, trap 15
    #[test]
    fn items_without_a_key_take_the_lanes_in_turn() {
        let mut keys = Keys::new(3);
        let lanes: Vec<_> = (0..7)
            .map(|_| {
                keys.lane(Some(b"between"));
                keys.lane(None)
            })
            .collect();

        assert_eq!(lanes, [0, 1, 2, 0, 1, 2, 0]);
    }
}
