//! Tests of the routes for a lesson: every link opens an existing view, the minutes are those of the plan, and the
//! documents for teachers list the same routes. With `BLESS=1` the documents are rewritten.

use attention_chapters::{Follow, FollowSource, Screen};
use std::{collections::BTreeSet, env, fmt::Write as _, fs, path::Path};

use crate::class::routes::{Exercise, Route, Words};
use attention_core::state::{Tab, View};
use attention_trace::{
    AttentionLayer,
    roles::{Role, read_role_set},
};

/// The languages, the documents and their words.
const DOCUMENTS: [Document; 2] = [
    Document {
        language: "en",
        path: "docs/teaching.md",
        title: "Teaching with Attention Scope",
        text: "Routes through the page for a lesson, with planned minutes. The tab “Teach” lists them. A link from here, appended to the address where the page is \
               published, `https://…/`, opens them too: a bar leads from stop to stop. Key P presents (one figure at a time, in \
               large type), → or Page Down goes on, N shows the notes, Esc ends it. Every chapter has a test of five \
               questions, to be taken before and after (of “Start here”, after it alone); the answers are computed from the sentence on screen. The second \
               time it asks about the next head, token and step; even so, part of a gain is that the questions are \
               known by then. A route with a hand-out has its tasks and answers below; the tab prints each on a sheet of A4. “The lecture” stands for the course notes from which the page takes worked numbers; \
               [worked-numbers.md](worked-numbers.md) names them.\n\nThe routes \
               are data, `assets/routes.json`: copy it, change it, and build the page to have your own. This document is \
               made of that file; a test compares them.",
        minutes: "min",
        students: "Students: ",
        teacher: "Notes: ",
        reserve: "Minutes in reserve: ",
        homework: "Homework: ",
        sheets: ["Tasks", "Answers"],
        other: "[中文](teaching.zh.md)",
    },
    Document {
        language: "zh",
        path: "docs/teaching.zh.md",
        title: "用 Attention Scope 上课",
        text: "带有计划时间的课堂路线，列在“教学”标签页中。也可以把链接接在网页地址 `https://…/` 后面打开，顶部的路线栏会带您从一站到下一站。按 P 键进入演示模式（一次一幅图，大字号），\
               按 → 或 Page Down 前进，按 N 显示备注，按 Esc 结束。每一章都有一个五道题的测试，读之前和读之后各做一次（“从这里开始”只在读之后做）；答案由屏幕上的句子算出。第二次问的是下一个头、词元和步，但得分提高的部分里，仍有一些是因为题目已经见过。有练习的路线，练习和答案列在该路线之后；标签页可以把它们各打印成一页 A4。\
               “讲义”指本页的算例所取自的课程讲义，见 [worked-numbers.md](worked-numbers.md)。\n\n路线是数据，在 \
               `assets/routes.json` 中：复制、修改后重新构建网页，就有您自己的路线。本文档由该文件生成，测试会比较两者。",
        minutes: "分钟",
        students: "学生：",
        teacher: "备注：",
        reserve: "机动时间（分钟）：",
        homework: "作业：",
        sheets: ["练习", "答案"],
        other: "[English](teaching.md)",
    },
];

struct Document {
    language: &'static str,
    path: &'static str,
    title: &'static str,
    text: &'static str,
    minutes: &'static str,
    students: &'static str,
    teacher: &'static str,
    reserve: &'static str,
    homework: &'static str,
    /// The headings of tasks and of answers.
    sheets: [&'static str; 2],
    other: &'static str,
}

pub(super) fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

pub(super) fn routes() -> Vec<Route> {
    let text = fs::read_to_string(root().join("assets/routes.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// Returns the chapters that have an English text.
fn chapters() -> BTreeSet<String> {
    let names = attention_chapters::PAGES.iter();
    names.map(|page| page.name.to_owned()).collect()
}

#[test]
fn one_route_is_of_ninety_minutes_four_of_two_hours_and_four_of_twenty_minutes() {
    let routes = routes();
    let minutes: Vec<_> = routes.iter().map(Route::minutes).collect();
    assert_eq!(minutes, [90, 120, 120, 120, 120, 20, 20, 20, 20]);
    // Long lessons have time in reserve, a hand-out, and a test at either end.
    for route in &routes[..5] {
        assert_eq!(route.reserve, 10, "{}", route.name);
        assert!(!route.sheet.is_empty(), "{}", route.name);
        let (first, last) = (&route.stops[0], &route.stops[route.stops.len() - 1]);
        assert!(first.title.of("en").starts_with("Test before: "));
        assert!(last.title.of("en").starts_with("Test after: "));
        assert_eq!(first.link, last.link);
        assert_eq!(route.homework.is_some(), route.name != "ninety");
    }
    let names: BTreeSet<_> = routes.iter().map(|route| &route.name).collect();
    assert_eq!(names.len(), routes.len());
}

#[test]
fn every_link_opens_what_there_is() {
    let chapters = chapters();
    for route in routes() {
        for stop in &route.stops {
            let view = super::view(&stop.link);
            let spelled = view.to_fragment();
            let spelled: BTreeSet<_> = spelled.split('&').collect();
            // What is not understood, or says nothing, would be lost. A chapter may go without saying.
            let entries = stop
                .link
                .split('&')
                .filter(|entry| !entry.starts_with("chapter="));
            for entry in entries {
                assert!(spelled.contains(entry), "{}: {entry}", route.name);
            }
            assert!(chapters.contains(&view.chapters.open), "{}", stop.link);
            let stages = match (
                view.chapters.open.as_str(),
                view.chapters.of::<Follow>().source,
            ) {
                ("start", _) => Screen::ALL.len(),
                ("follow", FollowSource::ThinkingMachines) => 5,
                // As many as any model has.
                ("follow", FollowSource::Head) => 10,
                _ => 1,
            };
            assert!(view.chapters.stage < stages, "{}", stop.link);
            if stop.link.contains("chapter=") {
                assert_eq!(view.tab, Tab::Learn, "{}", stop.link);
            }
        }
    }
}

#[test]
fn every_stop_says_all_in_every_language() {
    let is_chinese = |text: &str| text.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c));
    for route in routes() {
        for stop in &route.stops {
            assert!((1..=30).contains(&stop.minutes), "{}", stop.link);
            let words: [&Words; 4] = [&route.title, &stop.title, &stop.students, &stop.teacher];
            for words in words {
                assert!(
                    !words.of("en").is_empty() && !words.of("zh").is_empty(),
                    "{}",
                    stop.link
                );
            }
            assert!(is_chinese(stop.teacher.of("zh")) && is_chinese(stop.students.of("zh")));
        }
        let exercises = route.sheet.iter();
        let words = exercises.flat_map(|exercise| [&exercise.task, &exercise.answer]);
        for words in words.chain(&route.homework) {
            assert!(!words.of("en").is_empty() && !words.of("zh").is_empty());
        }
    }
}

/// Checks that the task on the heads has the measured answer, and that the notes for the teacher contain it.
#[test]
fn the_task_on_many_heads_has_its_answer_in_the_measured_roles() {
    let roles = fs::read_to_string(root().join("assets/models/translator/roles.json")).unwrap();
    let roles = read_role_set(&roles).unwrap();
    let stops = routes().into_iter().flat_map(|route| route.stops);
    let stop = stops
        .into_iter()
        .find(|stop| stop.link.contains("chapter=heads"))
        .unwrap();
    let view = super::view(&stop.link);
    let layer = AttentionLayer {
        kind: view.kind(),
        layer: view.place().layer,
    };
    let of_layer = roles.heads.iter().filter(|head| head.attention == layer);
    let of_layer: Vec<_> = of_layer.collect();
    let clear = |role| {
        let is_clear = |score: attention_trace::roles::RoleScore| score.is_clear();
        let heads = of_layer
            .iter()
            .filter(|head| head.roles.of(role).is_some_and(is_clear));
        heads
            .map(|head| (head.head + 1).to_string())
            .collect::<Vec<_>>()
    };
    for role in [Role::Own, Role::First] {
        let heads = clear(role);
        let (last, others) = heads.split_last().unwrap();
        let english = format!("heads {} and {last} ", others.join(", "));
        let chinese = format!("第 {} 头", heads.join("、"));
        assert!(stop.teacher.of("en").contains(&english), "{english}");
        assert!(stop.teacher.of("zh").contains(&chinese), "{chinese}");
    }
    // The notes say that there is none of these.
    let previous = |head: &attention_trace::roles::HeadRoles| head.roles.of(Role::Previous);
    let clear = roles.heads.iter().filter_map(previous);
    assert!(clear.into_iter().all(|score| !score.is_clear()));
}

#[test]
fn a_stop_keeps_the_visitors_sentence_and_knows_its_place() {
    let visitor = View {
        text: "Bonjour .".to_owned(),
        ..View::default()
    };
    let route = &routes()[0];
    let view = route.view(&visitor, 3).unwrap();
    assert_eq!(view.text, "Bonjour .");
    assert_eq!((view.class.route.as_str(), view.class.stop), ("ninety", 3));
    assert_eq!(super::view(&route.fragment(3).unwrap()).class.stop, 3);
    assert!(route.view(&visitor, route.stops.len()).is_none());
    assert_eq!(route.minutes_from(0), 90);
    assert_eq!(route.minutes_from(route.stops.len()), route.reserve);
}

#[test]
fn the_documents_for_teachers_list_the_routes() {
    attention_chapters::install();
    for document in DOCUMENTS {
        let path = root().join(document.path);
        let text = document.write(&routes());
        if env::var_os("BLESS").is_some() {
            fs::write(&path, &text).unwrap();
        }
        let found = fs::read_to_string(&path).unwrap();
        assert!(
            found == text,
            "{} has changed; run with BLESS=1 if that was meant",
            document.path
        );
    }
}

impl Document {
    fn write(&self, routes: &[Route]) -> String {
        let mut text = format!("# {}\n\n{}\n\n{}\n", self.title, self.other, self.text);
        for route in routes {
            let title = route.title.of(self.language);
            write!(
                text,
                "\n## {title} · {} {}\n",
                route.minutes(),
                self.minutes
            )
            .unwrap();
            for (number, stop) in route.stops.iter().enumerate() {
                let fragment = route.fragment(number).unwrap();
                let language = match self.language {
                    "en" => String::new(),
                    language => format!("&lang={language}"),
                };
                write!(
                    text,
                    "\n{}. **{}** · {} {} · `#{fragment}{language}`\n   * {}{}\n   * {}{}\n",
                    number + 1,
                    stop.title.of(self.language),
                    stop.minutes,
                    self.minutes,
                    self.students,
                    stop.students.of(self.language),
                    self.teacher,
                    stop.teacher.of(self.language),
                )
                .unwrap();
            }
            self.write_sheets(&mut text, route);
        }
        text
    }

    /// Writes what comes after the stops: minutes in reserve, homework, tasks and answers.
    fn write_sheets(&self, text: &mut String, route: &Route) {
        if route.reserve > 0 {
            write!(text, "\n{}{}\n", self.reserve, route.reserve).unwrap();
        }
        if let Some(homework) = &route.homework {
            write!(text, "\n{}{}\n", self.homework, homework.of(self.language)).unwrap();
        }
        if route.sheet.is_empty() {
            return;
        }
        let sides: [fn(&Exercise) -> &Words; 2] = [|one| &one.task, |one| &one.answer];
        for (heading, side) in self.sheets.iter().zip(sides) {
            write!(text, "\n### {heading}\n\n").unwrap();
            for (number, exercise) in route.sheet.iter().enumerate() {
                let words = side(exercise).of(self.language);
                writeln!(text, "{}. {words}", number + 1).unwrap();
            }
        }
    }
}
