// SPDX-License-Identifier: Apache-2.0
// Tells any number of tasks what happens, each at its own pace.

import Synchronization

/// What happens to a replica, as it happens, for one `for await` loop each.
///
/// A loop that is slower than what happens gets it combined, so nothing is missed and nothing piles
/// up.
public struct Updates<Element: Sendable>: AsyncSequence, Sendable {
  /// An update of one of these is never an error.
  public typealias Failure = Never

  /// Waits for updates. Begins with what happens after it was made.
  public struct Iterator: AsyncIteratorProtocol {
    private let subscription: Broadcast<Element>.Subscription

    fileprivate init(_ subscription: Broadcast<Element>.Subscription) {
      self.subscription = subscription
    }

    /// The next update; nil once the task is cancelled or the replica is gone.
    public mutating func next() async -> Element? { await subscription.next() }

    /// The same, without leaving the caller's actor.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
      await subscription.next(isolation: actor)
    }
  }

  let broadcast: Broadcast<Element>

  /// Begins to listen.
  public func makeAsyncIterator() -> Iterator { Iterator(broadcast.subscribe()) }
}

/// A sender of updates and its listeners. Thread-safe.
final class Broadcast<Element: Sendable>: Sendable {
  /// What one listener has not taken yet. Ends with its last reference.
  final class Subscription: Sendable {
    private struct State {
      var pending: Element?
      var waiter: CheckedContinuation<Element?, Never>?
      /// Nothing follows what is pending.
      var isOver = false
    }

    private let broadcast: Broadcast
    private let state: Mutex<State>

    fileprivate init(_ broadcast: Broadcast, _ first: Element?, isOver: Bool) {
      self.broadcast = broadcast
      state = Mutex(State(pending: first, isOver: isOver))
    }

    deinit { broadcast.remove(ObjectIdentifier(self)) }

    /// Keeps an element for the listener.
    /// - Returns: The listener, if it waits for one.
    fileprivate func take(_ element: Element) -> CheckedContinuation<Element?, Never>? {
      state.withLock { state in
        if let waiter = state.waiter {
          state.waiter = nil
          return waiter
        }
        if !state.isOver {
          state.pending = state.pending.map { broadcast.combine($0, element) } ?? element
        }
        return nil
      }
    }

    fileprivate func end() {
      let waiter = state.withLock { state in
        state.isOver = true
        defer { state.waiter = nil }
        return state.waiter
      }
      waiter?.resume(returning: nil)
    }

    func next(isolation: isolated (any Actor)? = #isolation) async -> Element? {
      await withTaskCancellationHandler {
        await withCheckedContinuation { waiter in
          let ready = state.withLock { state -> Element?? in
            if let element = state.pending {
              state.pending = nil
              return .some(element)
            }
            if state.isOver { return .some(nil) }
            precondition(state.waiter == nil, "one task iterates")
            state.waiter = waiter
            return nil
          }
          if let ready { waiter.resume(returning: ready) }
        }
      } onCancel: {
        end()
      }
    }
  }

  private struct Listener {
    weak var subscription: Subscription?
  }

  private struct State {
    var latest: Element?
    var listeners: [ObjectIdentifier: Listener] = [:]
    /// Nothing will be sent.
    var isFinished = false
  }

  private let combine: @Sendable (Element, Element) -> Element
  private let state: Mutex<State>
  private let repeatsLatest: Bool

  /// - Parameters:
  ///   - latest: What a listener is told first, and from then on the newest element; nil: listeners
  ///     are told only what happens after they began to listen.
  ///   - combine: Combines two elements that a listener has not taken, the earlier one first.
  init(
    latest: Element? = nil, combine: @escaping @Sendable (Element, Element) -> Element
  ) {
    self.combine = combine
    repeatsLatest = latest != nil
    state = Mutex(State(latest: latest))
  }

  func send(_ element: Element) {
    // Under the lock, so that every listener is told in one order. Whoever waits goes on after it,
    // and the listeners live until then: their end takes the lock.
    let listeners = state.withLock { state in
      if repeatsLatest { state.latest = element }
      return state.listeners.values.compactMap(\.subscription).map { ($0, $0.take(element)) }
    }
    for (_, waiter) in listeners { waiter?.resume(returning: element) }
  }

  /// Ends every loop: nothing will be sent.
  func finish() {
    let listeners = state.withLock { state in
      state.isFinished = true
      return state.listeners.values.compactMap(\.subscription)
    }
    for listener in listeners { listener.end() }
  }

  func subscribe() -> Subscription {
    state.withLock { state in
      let subscription = Subscription(self, state.latest, isOver: state.isFinished)
      state.listeners[ObjectIdentifier(subscription)] = Listener(subscription: subscription)
      return subscription
    }
  }

  private func remove(_ id: ObjectIdentifier) {
    state.withLock { _ = $0.listeners.removeValue(forKey: id) }
  }
}
