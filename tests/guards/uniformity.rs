//! The lint for barriers: which of them some lanes of a workgroup may miss. naga does not look, drivers hang.
//!
//! Lanes are *together* where all of a workgroup provably take the same path. They part at a condition that is not
//! uniform, and meet again after it, unless one left by `break`, `continue` or `return`: then at the end of the loop
//! or of the function. A value is uniform if it is made of constants, overrides, `var<uniform>`, read-only storage, workgroup ids and
//! counts, and local variables written only with such values by lanes together. Everything else is not.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::BitOrAssign;

use naga::{
    AddressSpace, Binding, Block, BuiltIn, Expression, Function, Handle, LocalVariable, Module, Span, Statement,
    StorageAccess,
};

use super::forbidden::is_subgroup;

/// One line for each barrier or subgroup operation that lanes may reach apart.
pub fn barriers_apart(text: &str, module: &Module) -> Vec<String> {
    let mut lint = Lint { text, module, known: HashMap::new(), faults: BTreeSet::new() };
    for entry in &module.entry_points {
        let arguments = entry.function.arguments.iter().map(|argument| same_in_workgroup(&argument.binding));
        lint.run(&entry.name, &entry.function, arguments.collect(), true);
    }
    lint.faults.into_iter().map(|(line, fault)| format!("line {line}: {fault}")).collect()
}

fn same_in_workgroup(binding: &Option<Binding>) -> bool {
    use BuiltIn::{NumWorkGroups, WorkGroupId, WorkGroupSize};
    matches!(binding, Some(Binding::BuiltIn(NumWorkGroups | WorkGroupId | WorkGroupSize)))
}

/// A call as the lint sees it: what is called, which arguments are uniform, whether lanes are together.
type Call = (Handle<Function>, Vec<bool>, bool);

struct Lint<'a> {
    text: &'a str,
    module: &'a Module,
    /// Whether the result of a call is uniform. WGSL has no recursion, so this is filled from the leaves.
    known: HashMap<Call, bool>,
    faults: BTreeSet<(u32, String)>,
}

impl<'a> Lint<'a> {
    fn call(&mut self, call: Call) -> bool {
        if let Some(&uniform) = self.known.get(&call) {
            return uniform;
        }
        let function = &self.module.functions[call.0];
        let name = function.name.as_deref().unwrap_or("(unnamed)");
        let uniform = self.run(name, function, call.1.clone(), call.2);
        self.known.insert(call, uniform);
        uniform
    }

    /// Walks the function until no further variable is found to differ; says whether its result is uniform.
    fn run(&mut self, name: &'a str, function: &'a Function, arguments: Vec<bool>, together: bool) -> bool {
        let module = self.module;
        let mut walk = Walk {
            lint: self,
            module,
            name,
            function,
            arguments,
            uniform: vec![],
            locals: HashSet::new(),
            results: HashSet::new(),
            result_uniform: true,
        };
        loop {
            let before = (walk.locals.len(), walk.results.len(), walk.result_uniform);
            walk.judge_expressions();
            walk.block(&function.body, together);
            if before == (walk.locals.len(), walk.results.len(), walk.result_uniform) {
                return walk.result_uniform;
            }
        }
    }

    fn report(&mut self, name: &str, span: Span, what: &str) {
        let line = span.location(self.text).line_number;
        let code = self.text.lines().nth((line as usize).saturating_sub(1)).unwrap_or_default().trim();
        self.faults.insert((line, format!("in {name}, lanes may reach {what} apart: {code}")));
    }
}

/// Ways by which some lanes, but perhaps not all, left a block.
#[derive(Clone, Copy, Default)]
struct Left {
    by_break: bool,
    by_continue: bool,
    by_return: bool,
}

impl Left {
    fn any(self) -> bool {
        self.by_break || self.by_continue || self.by_return
    }
}

impl BitOrAssign for Left {
    fn bitor_assign(&mut self, other: Self) {
        self.by_break |= other.by_break;
        self.by_continue |= other.by_continue;
        self.by_return |= other.by_return;
    }
}

/// One function with one set of arguments.
struct Walk<'l, 'a> {
    lint: &'l mut Lint<'a>,
    module: &'a Module,
    name: &'a str,
    function: &'a Function,
    arguments: Vec<bool>,
    /// By expression: the value, or for a pointer the address, is the same in all lanes that evaluate it.
    uniform: Vec<bool>,
    /// Variables that may differ between lanes.
    locals: HashSet<Handle<LocalVariable>>,
    /// Results of calls that may differ.
    results: HashSet<Handle<Expression>>,
    result_uniform: bool,
}

impl<'a> Walk<'_, 'a> {
    /// Operands come before what uses them, so one pass in order is enough.
    fn judge_expressions(&mut self) {
        self.uniform.clear();
        for (handle, expression) in self.function.expressions.iter() {
            let uniform = self.judge(handle, expression);
            self.uniform.push(uniform);
        }
    }

    fn judge(&self, handle: Handle<Expression>, expression: &Expression) -> bool {
        let all = |operands: &[Handle<Expression>]| operands.iter().all(|&operand| self.is_uniform(operand));
        match *expression {
            Expression::Literal(_) | Expression::Constant(_) | Expression::Override(_) | Expression::ZeroValue(_) => {
                true
            }
            Expression::GlobalVariable(_) | Expression::LocalVariable(_) | Expression::ArrayLength(_) => true,
            Expression::WorkGroupUniformLoadResult { .. } => true,
            Expression::Compose { ref components, .. } => all(components),
            Expression::Access { base, index } => all(&[base, index]),
            Expression::AccessIndex { base, .. } => all(&[base]),
            Expression::Splat { value, .. } => all(&[value]),
            Expression::Swizzle { vector, .. } => all(&[vector]),
            Expression::Unary { expr, .. } | Expression::As { expr, .. } => all(&[expr]),
            Expression::Binary { left, right, .. } => all(&[left, right]),
            Expression::Select { condition, accept, reject } => all(&[condition, accept, reject]),
            Expression::Relational { argument, .. } => all(&[argument]),
            Expression::Math { arg, arg1, arg2, arg3, .. } => {
                all(&[arg]) && [arg1, arg2, arg3].into_iter().flatten().all(|operand| self.is_uniform(operand))
            }
            Expression::FunctionArgument(at) => self.arguments[at as usize],
            Expression::Load { pointer } => all(&[pointer]) && self.holds_the_same(pointer),
            Expression::CallResult(_) => !self.results.contains(&handle),
            _ => false,
        }
    }

    fn is_uniform(&self, handle: Handle<Expression>) -> bool {
        self.uniform[handle.index()]
    }

    /// What a pointer leads to, through fields and elements.
    fn root(&self, pointer: Handle<Expression>) -> &'a Expression {
        match &self.function.expressions[pointer] {
            Expression::Access { base, .. } | Expression::AccessIndex { base, .. } => self.root(*base),
            root => root,
        }
    }

    /// Whether memory has one value for all lanes: what nobody writes does, shared and private memory are not trusted.
    fn holds_the_same(&self, pointer: Handle<Expression>) -> bool {
        match *self.root(pointer) {
            Expression::GlobalVariable(variable) => {
                let read = AddressSpace::Storage { access: StorageAccess::LOAD };
                let space = self.module.global_variables[variable].space;
                space == AddressSpace::Uniform || space == read
            }
            Expression::LocalVariable(local) => !self.locals.contains(&local),
            _ => false,
        }
    }

    fn block(&mut self, block: &'a Block, together: bool) -> Left {
        let mut left = Left::default();
        for (statement, span) in block.span_iter() {
            let together = together && !left.any();
            left |= self.statement(statement, *span, together);
        }
        left
    }

    fn statement(&mut self, statement: &'a Statement, span: Span, together: bool) -> Left {
        match statement {
            Statement::Block(block) => return self.block(block, together),
            Statement::If { condition, accept, reject } => {
                let inside = together && self.is_uniform(*condition);
                let mut left = self.block(accept, inside);
                left |= self.block(reject, inside);
                return left;
            }
            Statement::Switch { selector, cases } => {
                let inside = together && self.is_uniform(*selector);
                let mut left = Left::default();
                for case in cases {
                    left |= self.block(&case.body, inside);
                }
                return Left { by_break: false, ..left };
            }
            Statement::Loop { body, continuing, break_if } => {
                let mut left = self.turn(body, continuing, *break_if, together);
                // Who left in one turn is missing from the first line of the next.
                if left.any() {
                    left = self.turn(body, continuing, *break_if, false);
                }
                return Left { by_return: left.by_return, ..Left::default() };
            }
            Statement::Break => return Left { by_break: !together, ..Left::default() },
            Statement::Continue => return Left { by_continue: !together, ..Left::default() },
            Statement::Kill => return Left { by_return: true, ..Left::default() },
            Statement::Return { value } => {
                self.result_uniform &= together && value.is_none_or(|value| self.is_uniform(value));
                return Left { by_return: !together, ..Left::default() };
            }
            Statement::ControlBarrier(_) | Statement::MemoryBarrier(_) => {
                self.demand(together, span, "a barrier");
            }
            Statement::WorkGroupUniformLoad { pointer, .. } => {
                self.demand(together && self.is_uniform(*pointer), span, "workgroupUniformLoad");
            }
            statement if is_subgroup(statement) => self.demand(together, span, "a subgroup operation"),
            Statement::Store { pointer, value }
                if !(together && self.is_uniform(*pointer) && self.is_uniform(*value)) =>
            {
                self.give_up(*pointer);
            }
            Statement::Call { function, arguments, result } => {
                // The function may write through a pointer; what, is not followed.
                arguments.iter().for_each(|&argument| self.give_up(argument));
                let uniform = arguments.iter().map(|&argument| self.is_uniform(argument)).collect();
                let result_uniform = self.lint.call((*function, uniform, together));
                if let (Some(result), false) = (result, result_uniform) {
                    self.results.insert(*result);
                }
            }
            _ => {}
        }
        Left::default()
    }

    fn turn(
        &mut self,
        body: &'a Block,
        continuing: &'a Block,
        break_if: Option<Handle<Expression>>,
        together: bool,
    ) -> Left {
        let mut left = self.block(body, together);
        left |= self.block(continuing, together && !left.any());
        left.by_break |= break_if.is_some_and(|condition| !together || !self.is_uniform(condition));
        left
    }

    /// From here on the variable behind this pointer, if it is one, may differ between lanes.
    fn give_up(&mut self, pointer: Handle<Expression>) {
        if let Expression::LocalVariable(local) = *self.root(pointer) {
            self.locals.insert(local);
        }
    }

    fn demand(&mut self, met: bool, span: Span, what: &str) {
        if !met {
            self.lint.report(self.name, span, what);
        }
    }
}
