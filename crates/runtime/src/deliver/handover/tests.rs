//! Seeded schedules over the cell: any order of polls, spurious wakes, futures given up, workers
//! that die and a giver that goes away.

use std::cell::RefCell;
use std::future::poll_fn;
use std::pin::pin;
use std::rc::Rc;
use std::sync::atomic::AtomicBool;
use std::task::Wake;

use super::*;

/// A small generator of schedules; the same seed is the same schedule.
struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        let bound = u64::try_from(bound).unwrap();
        usize::try_from((mixed ^ (mixed >> 31)) % bound).unwrap()
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }
}

struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::SeqCst);
    }
}

type Task = Pin<Box<dyn Future<Output = ()>>>;

/// Tasks that are polled in the order of chance, not of their wakes.
struct Schedule {
    tasks: Vec<(Option<Task>, Arc<Woken>)>,
}

impl Schedule {
    fn new(tasks: Vec<Task>) -> Self {
        let woken = || Arc::new(Woken(AtomicBool::new(true)));
        Self {
            tasks: tasks
                .into_iter()
                .map(|task| (Some(task), woken()))
                .collect(),
        }
    }

    fn poll(&mut self, index: usize) {
        let (task, woken) = &mut self.tasks[index];
        woken.0.store(false, Ordering::SeqCst);
        let waker = Waker::from(Arc::clone(woken));
        if let Some(running) = task
            && running
                .as_mut()
                .poll(&mut Context::from_waker(&waker))
                .is_ready()
        {
            *task = None;
        }
    }

    /// A step of somebody; `false` where nobody is called.
    fn step(&mut self, chance: &mut Chance) -> bool {
        let called: Vec<usize> = (0..self.tasks.len())
            .filter(|&index| {
                let (task, woken) = &self.tasks[index];
                task.is_some() && woken.0.load(Ordering::SeqCst)
            })
            .collect();
        if called.is_empty() {
            return false;
        }
        if chance.one_in(8) {
            // Nobody called it.
            self.poll(chance.below(self.tasks.len()));
        } else {
            self.poll(called[chance.below(called.len())]);
        }
        true
    }

    fn wake_all(&self) {
        self.tasks
            .iter()
            .for_each(|(_, woken)| woken.0.store(true, Ordering::SeqCst));
    }
}

/// What the tasks of one round share.
struct Round {
    chance: Chance,
    /// `(lane, item)` in the order of taking.
    taken: Vec<(usize, usize)>,
    given: Vec<(usize, usize)>,
    out: Vec<usize>,
    most_out: Vec<usize>,
    /// Somebody went to do something else.
    napping: bool,
    ended: usize,
}

type InTurn = Rc<RefCell<Round>>;

/// Takes items; gives up waiting now and then, with a look or without one, and then does something
/// else for as long as it is left alone.
async fn worker(mut taker: Taker<usize>, round: InTurn) {
    let lane = taker.lane;
    loop {
        let got = {
            let mut take = pin!(taker.take());
            let gives_up = || round.borrow_mut().chance.one_in(10);
            poll_fn(|cx| {
                if gives_up() {
                    return Poll::Ready(None);
                }
                take.as_mut().poll(cx).map(Some)
            })
            .await
        };
        match got {
            None => {
                taker.finish();
                may_nap(&round).await;
            }
            Some(None) => {
                round.borrow_mut().ended += 1;
                return;
            }
            Some(Some(item)) => {
                round.borrow_mut().taken.push((lane, item));
                let yields = round.borrow_mut().chance.below(3);
                for _ in 0..yields {
                    tokio::task::yield_now().await;
                }
                round.borrow_mut().out[lane] -= 1;
            }
        }
    }
}

/// Now and then goes away until nobody else is called.
async fn may_nap(round: &InTurn) {
    let mut asleep = round.borrow_mut().chance.one_in(2);
    round.borrow_mut().napping |= asleep;
    poll_fn(|_| {
        if mem::take(&mut asleep) {
            Poll::Pending
        } else {
            Poll::Ready(())
        }
    })
    .await;
}

async fn giver(mut giver: Giver<usize>, items: usize, round: InTurn) {
    let lanes = giver.count();
    for item in 0..items {
        let choice = round.borrow_mut().chance.below(2 * lanes);
        let lane = if choice < lanes {
            let any = poll_fn(|cx| giver.poll_any_room(choice, cx)).await;
            any.expect("nobody dies")
        } else {
            let lane = choice - lanes;
            assert!(poll_fn(|cx| giver.poll_room(lane, cx)).await, "nobody dies");
            lane
        };
        {
            let mut round = round.borrow_mut();
            round.given.push((lane, item));
            round.out[lane] += 1;
            let out = round.out[lane];
            round.most_out[lane] = round.most_out[lane].max(out);
        }
        giver.give(lane, item);
        may_nap(&round).await;
    }
    giver.close();
}

fn round(seed: u64, shape: Shape, items: usize) -> (Round, usize) {
    let round = Rc::new(RefCell::new(Round {
        chance: Chance(seed),
        taken: Vec::new(),
        given: Vec::new(),
        out: vec![0; shape.lanes],
        most_out: vec![0; shape.lanes],
        napping: false,
        ended: 0,
    }));
    let (gives, takers) = lanes(shape);
    let cell = Arc::clone(&gives.lanes);
    let mut tasks: Vec<Task> = vec![Box::pin(giver(gives, items, Rc::clone(&round)))];
    for taker in takers {
        tasks.push(Box::pin(worker(taker, Rc::clone(&round))));
    }
    let mut schedule = Schedule::new(tasks);
    let mut chance = Chance(!seed);
    let mut steps = 0;
    loop {
        if schedule.step(&mut chance) {
            steps += 1;
            continue;
        }
        // Nobody is called. Whatever is queued then waits for workers that do something else.
        for lane in &cell.lanes {
            let state = lane.lock().unwrap();
            assert!(
                state.queue.is_empty() || state.parked.is_empty(),
                "seed {seed}: a lost wake"
            );
        }
        if !mem::take(&mut round.borrow_mut().napping) {
            break;
        }
        schedule.wake_all();
    }
    drop(schedule);
    let round = Rc::into_inner(round)
        .expect("all tasks are gone")
        .into_inner();
    (round, steps)
}

const SHAPES: [Shape; 5] = [
    Shape {
        lanes: 1,
        workers: 1,
        limit: 1,
    },
    Shape {
        lanes: 1,
        workers: 4,
        limit: 4,
    },
    Shape {
        lanes: 3,
        workers: 1,
        limit: 2,
    },
    Shape {
        lanes: 2,
        workers: 1,
        limit: 9,
    },
    Shape {
        lanes: 2,
        workers: 2,
        limit: 3,
    },
];

// RUN-222, RUN-240
#[test]
fn no_schedule_loses_or_doubles_an_item_or_exceeds_the_limit() {
    let mut steps = 0;
    let mut seed = 0;
    while steps < 100_000 {
        for shape in SHAPES {
            seed += 1;
            let (round, took) = round(seed, shape, 60);
            steps += took;

            assert_eq!(
                round.given.len(),
                60,
                "seed {seed}: the giver was not called"
            );
            assert_eq!(
                round.ended,
                shape.lanes * shape.workers,
                "seed {seed}: a worker waits"
            );
            for lane in 0..shape.lanes {
                let of_lane = |all: &[(usize, usize)]| -> Vec<usize> {
                    all.iter()
                        .filter(|(at, _)| *at == lane)
                        .map(|(_, item)| *item)
                        .collect()
                };
                assert_eq!(of_lane(&round.taken), of_lane(&round.given), "seed {seed}");
                assert!(
                    round.most_out[lane] <= shape.limit,
                    "seed {seed}: too many are out"
                );
            }
        }
    }
}

fn polled<T>(take: &mut Pin<&mut Take<'_, T>>, woken: &Arc<Woken>) -> Poll<Option<T>> {
    let waker = Waker::from(Arc::clone(woken));
    take.as_mut().poll(&mut Context::from_waker(&waker))
}

fn woken() -> Arc<Woken> {
    Arc::new(Woken(AtomicBool::new(false)))
}

impl Woken {
    fn take(&self) -> bool {
        self.0.swap(false, Ordering::SeqCst)
    }
}

// RUN-240
#[test]
fn a_worker_that_was_called_and_goes_away_without_a_look_calls_another() {
    let (mut giver, mut takers) = lanes(Shape {
        lanes: 1,
        workers: 2,
        limit: 2,
    });
    let mut second = takers.pop().unwrap();
    let mut first = takers.pop().unwrap();
    let (first_woken, second_woken) = (woken(), woken());
    let mut take_first = pin!(first.take());
    assert!(polled(&mut take_first, &first_woken).is_pending());
    {
        let mut take_second = pin!(second.take());
        assert!(polled(&mut take_second, &second_woken).is_pending());

        giver.give(0, "parcel");
        assert!(second_woken.take() && !first_woken.take());
    }

    assert!(first_woken.take());
    assert_eq!(
        polled(&mut take_first, &first_woken),
        Poll::Ready(Some("parcel"))
    );
}

// RUN-232
#[test]
fn the_death_of_a_worker_calls_the_giver_and_is_told_by_its_number() {
    let (mut giver, mut takers) = lanes(Shape {
        lanes: 2,
        workers: 1,
        limit: 1,
    });
    giver.give(1, "parcel");
    let called = woken();
    let waker = Waker::from(Arc::clone(&called));
    let cx = Context::from_waker(&waker);
    assert!(giver.poll_dead(&cx).is_pending());
    assert!(giver.poll_room(1, &cx).is_pending());

    drop(takers.pop());

    assert!(called.take());
    assert_eq!(giver.dead(), Some(1));
    assert_eq!(giver.poll_room(1, &cx), Poll::Ready(false));
    // The other lane still takes what is in the loop's hand.
    assert_eq!(giver.poll_room(0, &cx), Poll::Ready(true));
}

// RUN-075, RUN-240
#[test]
fn a_giver_that_closes_leaves_what_is_queued_and_one_that_is_dropped_takes_it_back() {
    for closes in [true, false] {
        let (mut giver, mut takers) = lanes(Shape {
            lanes: 1,
            workers: 1,
            limit: 2,
        });
        let parcel = Arc::new(());
        giver.give(0, Arc::clone(&parcel));
        if closes {
            giver.close();
        } else {
            drop(giver);
        }

        assert_eq!(Arc::strong_count(&parcel), 1 + usize::from(closes));
        let mut taker = takers.pop().unwrap();
        let mut take = pin!(taker.take());
        assert_eq!(
            polled(&mut take, &woken()).map(|item| item.is_some()),
            Poll::Ready(closes)
        );
    }
}

// RUN-224
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn threads_take_every_item_once() {
    const ITEMS: usize = 20_000;
    for shape in SHAPES {
        let (mut giver, takers) = lanes(shape);
        let workers: Vec<_> = takers
            .into_iter()
            .map(|mut taker| {
                tokio::spawn(async move {
                    let mut taken = Vec::new();
                    while let Some(item) = taker.take().await {
                        taken.push(item);
                    }
                    taken
                })
            })
            .collect();
        for item in 0..ITEMS {
            let lane = poll_fn(|cx| giver.poll_any_room(item % shape.lanes, cx)).await;
            giver.give(lane.expect("nobody dies"), item);
        }
        giver.close();

        let mut all = Vec::new();
        for worker in workers {
            let taken = worker.await.unwrap();
            assert!(taken.is_sorted(), "out of order");
            all.extend(taken);
        }
        all.sort_unstable();
        assert!(all.into_iter().eq(0..ITEMS));
    }
}
