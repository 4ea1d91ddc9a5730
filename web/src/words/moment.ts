// Formats moments in local time, as precisely as the range needs.
import { seconds } from "./number";

const pad = (value: number): string => String(value).padStart(2, "0");

export function clock(unix: number): string {
  const date = new Date(unix * 1000);
  return `${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())}`;
}

export function day(unix: number): string {
  const date = new Date(unix * 1000);
  return `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
}

export const dayAndClock = (unix: number): string => `${day(unix)} ${clock(unix)}`;

export const dayAndMinute = (unix: number): string => `${day(unix)} ${clock(unix).slice(0, 5)}`;

// Formats an axis tick precisely enough to differ from ticks `apart` seconds away.
export function tick(unix: number, apart: number): string {
  if (apart >= 86_400) return day(unix).slice(5);
  if (apart >= 60) return clock(unix).slice(0, 5);
  return clock(unix);
}

export function span(from: number, to: number): string {
  const end = day(from) === day(to) ? clock(to) : dayAndClock(to);
  return `${dayAndClock(from)} – ${end}`;
}

export function ago(unix: number, now = Date.now() / 1000): string {
  const passed = now - unix;
  if (passed < 5) return "now";
  return `${seconds(Math.floor(passed))} ago`;
}
