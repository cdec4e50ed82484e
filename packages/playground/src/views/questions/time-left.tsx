/** How long a question stays open. It ticks for the eye; for the ear it is said at a few moments only. */
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";

const SAID_AT = [10, 30, 60, 300];

export function TimeLeft({ deadline }: { readonly deadline: number }): JSX.Element {
  const [left, setLeft] = useState(() => secondsUntil(deadline));
  useEffect(() => {
    const timer = setInterval(() => setLeft(secondsUntil(deadline)), 1000);
    return () => clearInterval(timer);
  }, [deadline]);
  const [first] = useState(left);
  const passed = SAID_AT.find((moment) => left <= moment && moment < first);
  return (
    <span class={left <= 30 ? "time-left soon" : "time-left"}>
      <span aria-hidden="true">{left === 0 ? "time is up" : `${clockOf(left)} left`}</span>
      <span class="unseen" role="status">
        {left === 0 ? "Time is up." : passed === undefined ? "" : `Less than ${spoken(passed)} left.`}
      </span>
    </span>
  );
}

const secondsUntil = (deadline: number): number => Math.max(0, Math.ceil((deadline - Date.now()) / 1000));

const spoken = (seconds: number): string =>
  seconds < 60 ? `${seconds} seconds` : seconds === 60 ? "a minute" : `${seconds / 60} minutes`;

function clockOf(seconds: number): string {
  const [days, hours, minutes] = [
    Math.floor(seconds / 86_400),
    Math.floor(seconds / 3600) % 24,
    Math.floor(seconds / 60) % 60,
  ];
  if (days > 0) return `${days} d ${hours} h`;
  const rest = `${String(minutes).padStart(hours > 0 ? 2 : 1, "0")}:${String(seconds % 60).padStart(2, "0")}`;
  return hours > 0 ? `${hours}:${rest}` : rest;
}
