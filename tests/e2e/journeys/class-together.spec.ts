// A class on one server: the students' pages follow the teacher's, and their predictions come back as counts.

import { readFile, writeFile } from "node:fs/promises";

import type { Page } from "@playwright/test";

import { expect, test, tokenFile } from "../served";

const TRANSLATOR = "assets/models/translator";

/** A chapter with a question that is answered by a number, and the question. */
const VIEW = "tab=learn&chapter=layers";
const QUESTION = "ask-crossing";

test("a class follows its teacher, predicts, and looks around alone", async ({ page, scope, serve, browser }) => {
  const served = await serve(TRANSLATOR, "--class");
  await page.goto(served.teacher);
  await scope.becomesLive();
  const status = page.getByTestId("class-status");
  await expect(status).toHaveText("The class sees what you see. Following: 0");

  const students = await Promise.all(
    [1, 2, 3].map(async () => {
      const context = await browser.newContext({ locale: "en-US", serviceWorkers: "block" });
      const student = await context.newPage();
      await student.goto(served.class);
      await expect(student.getByTestId("class-status")).toContainText("You see what the teacher shows.");
      return student;
    }),
  );
  await expect(status).toHaveText("The class sees what you see. Following: 3");

  // The sentence, the tab and the chapter arrive.
  await scope.follow(`${new URL(page.url()).hash.slice(1)}&text=Je+suis+content.&${VIEW}`);
  for (const student of students) {
    await expect(student.getByTestId("chapter")).toHaveAttribute("data-chapter", "layers");
    await expect(student).toHaveURL(/text=Je\+suis\+content\./);
    await expect(student).toHaveURL(/class=follow/);
    // Nothing that belongs to the teacher.
    expect(student.url()).not.toContain("lead");
  }

  // What students predict is counted at the teacher's, and nowhere else.
  const prompt = (own: Page) => own.locator(`[data-prompt="${QUESTION}"]`);
  for (const [place, student] of students.entries()) {
    await prompt(student).getByTestId("answer-number").fill(place === 0 ? "100" : "200");
  }
  const counts = prompt(page).getByTestId("class-predictions");
  await expect(counts.locator("li")).toHaveCount(2);
  await expect(counts.locator("li").first()).toHaveText("200 × 2");
  await expect(counts.locator("li").last()).toHaveText("100 × 1");
  await expect(students[0]!.getByTestId("class-predictions")).toHaveCount(0);

  const saving = page.waitForEvent("download");
  await page.getByTestId("class-save").click();
  const csv = await readFile(await (await saving).path(), "utf8");
  const lines = csv.trim().split("\r\n");
  expect(lines[0]).toBe("member,chapter,question,prediction");
  expect(lines).toHaveLength(4);
  for (const line of lines.slice(1)) expect(line).toMatch(/^[123],"layers","ask-crossing","[12]00"$/);

  // One looks around alone, and comes back.
  const [alone] = students;
  await alone!.getByTestId("class-keep-up").click();
  await expect(alone!.getByTestId("class-status")).toHaveText("You look around on your own.");
  await page.getByTestId("tab-explore").click();
  await expect(students[1]!.getByTestId("tab-explore")).toHaveAttribute("aria-selected", "true");
  await expect(alone!.getByTestId("chapter")).toBeVisible();
  await alone!.getByTestId("class-keep-up").click();
  await expect(alone!.getByTestId("tab-explore")).toHaveAttribute("aria-selected", "true");

  await Promise.all(students.map((student) => student.context().close()));
  await expect(status).toHaveText("The class sees what you see. Following: 0");
  await page.getByTestId("class-leave").click();
  await expect(page.getByTestId("class-bar")).toBeHidden();
  expect(page.url()).not.toContain("lead");
});

test("a class that has ended is waited for, and joined once it is back", async ({ page, serve }) => {
  const token = tokenFile();
  const served = await serve(TRANSLATOR, "--class", "--token-file", token);
  await page.goto(served.teacher);
  const status = page.getByTestId("class-status");
  const leads = "The class sees what you see. Following: 0";
  await expect(status).toHaveText(leads);
  // What is typed is shown to the class: the page promises no privacy.
  await expect(page.getByTestId("welcome")).toContainText("A Transformer runs in your browser");
  await expect(page.getByTestId("welcome")).not.toContainText("Nothing you type leaves this machine");
  await served.kill();
  await expect(status).toHaveText("Waiting for the class …");
  // Its tokens are those of before: the same page leads it.
  await served.start();
  await expect(status).toHaveText(leads, { timeout: 40_000 });
  await served.kill();
  await expect(status).toHaveText("Waiting for the class …");
  await writeFile(token, "0123456789abcdef0123456789abcdef\n");
  await served.start();
  await expect(status).toContainText("does not accept the token", { timeout: 40_000 });
});
