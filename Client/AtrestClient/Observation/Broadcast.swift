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

    /// The next update; nil once the task is cancelled.
    public mutating func next() async -> Element? { await subscription.next() }

    /// The same, without leaving the caller's actor.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
      await subscription.next()
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
    private enum State {
      case nothing
      case pending(Element)
      case waiting(CheckedContinuation<Element?, Never>)
      case cancelled
    }

    private let broadcast: Broadcast
    private let state: Mutex<State>

    fileprivate init(_ broadcast: Broadcast, _ first: Element?) {
      self.broadcast = broadcast
      state = Mutex(first.map { .pending($0) } ?? .nothing)
    }

    deinit { broadcast.remove(ObjectIdentifier(self)) }

    fileprivate func send(_ element: Element) {
      let waiter = state.withLock { state -> CheckedContinuation<Element?, Never>? in
        switch state {
        case .nothing: state = .pending(element)
        case .pending(let earlier): state = .pending(broadcast.combine(earlier, element))
        case .waiting(let waiter):
          state = .nothing
          return waiter
        case .cancelled: break
        }
        return nil
      }
      waiter?.resume(returning: element)
    }

    func next() async -> Element? {
      await withTaskCancellationHandler {
        await withCheckedContinuation { waiter in
          let ready = state.withLock { state -> Element?? in
            switch state {
            case .nothing:
              state = .waiting(waiter)
              return nil
            case .pending(let element):
              state = .nothing
              return .some(element)
            case .cancelled:
              return .some(nil)
            case .waiting:
              preconditionFailure("one task iterates")
            }
          }
          if let ready { waiter.resume(returning: ready) }
        }
      } onCancel: {
        let waiter = state.withLock { state -> CheckedContinuation<Element?, Never>? in
          defer { state = .cancelled }
          guard case .waiting(let waiter) = state else { return nil }
          return waiter
        }
        waiter?.resume(returning: nil)
      }
    }
  }

  private struct Listener {
    weak var subscription: Subscription?
  }

  private struct State {
    var latest: Element?
    var listeners: [ObjectIdentifier: Listener] = [:]
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
    let listeners = state.withLock { state in
      if repeatsLatest { state.latest = element }
      return state.listeners.values.compactMap(\.subscription)
    }
    for listener in listeners { listener.send(element) }
  }

  func subscribe() -> Subscription {
    state.withLock { state in
      let subscription = Subscription(self, state.latest)
      state.listeners[ObjectIdentifier(subscription)] = Listener(subscription: subscription)
      return subscription
    }
  }

  /// Whether anybody listens: then it is worth the trouble to tell.
  var hasListeners: Bool { state.withLock { !$0.listeners.isEmpty } }

  private func remove(_ id: ObjectIdentifier) {
    state.withLock { _ = $0.listeners.removeValue(forKey: id) }
  }
}
